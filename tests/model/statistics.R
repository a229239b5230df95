# The figures that report/ computes, computed by R: the reference of tests/model/test_statistics.c. Run it as
#   Rscript tests/model/statistics.R > tests/model/statistics.tsv
# Base R only. Each output row: data set, figure, value; "data" rows hold the runs themselves.

sets <- list(
  rdc = list(control = c(1237.939, 1186.415, 1192.068, 1111.13, 1320.867),
             treatment = c(1210.479, 1330.882, 1175.328, 1170.281, 1153.863), margin = 0.05),
  rdc10 = list(control = c(1237.939, 1186.415, 1192.068, 1111.13, 1320.867),
               treatment = c(1210.479, 1330.882, 1175.328, 1170.281, 1153.863), margin = 0.10),
  unequal = list(control = c(61.2, 60.8, 61.9, 60.1, 61.5, 64.4, 59.9), treatment = c(54.0, 55.1, 53.2, 54.6),
                 margin = 0.05),
  ties = list(control = c(10, 11, 11, 12, 12, 12, 13), treatment = c(11, 12, 13, 13, 14, 15), margin = 0.2),
  shifted = list(control = c(0.11, 0.15, 0.09, 0.13), treatment = c(9.1, 12.7, 10.4, 7.9, 11.3), margin = 0.5),
  many = list(control = 100 + 7 * sin(1:60) + (1:60) / 17, treatment = 101 + 9 * cos(1:55) + (1:55) / 13,
              margin = 0.08),
  pair = list(control = c(70.1, 55.2, 91.7, 62.3, 80.8, 77.7), treatment = c(68.8, 55.0, 88.1, 60.9, 80.1, 75.2),
              margin = 0.05, paired = TRUE)
)

put <- function(set, name, value) cat(sprintf("%s\t%s\t%.17g\n", set, name, value))
at <- function(f, low, high) uniroot(f, c(low, high), tol = 1e-13, maxiter = 10000)$root

# Power of the two one-sided tests at a true difference of 0: the mean, over the distribution of s (chi / sqrt(df)), of the
# chance that a normal variable falls into what is left of the margin.
power_tost <- function(margin, se, df) {
  tc <- qt(0.95, df)
  f <- function(s) pmax(0, 2 * pnorm(margin / se - tc * s) - 1) * 2 * df * s * dchisq(df * s^2, df)
  top <- margin / se / tc
  low <- max(0, 1 - 10 / sqrt(2 * df))
  if (top <= low) return(0)
  integrate(f, low, min(top, 1 + 10 / sqrt(2 * df)), rel.tol = 1e-10, subdivisions = 2000)$value
}

# Power of the two-sided t test by R's noncentral t.
power_t <- function(effect, se, df) {
  tc <- qt(0.975, df)
  pt(tc, df, effect / se, lower.tail = FALSE) + pt(-tc, df, effect / se)
}

runs_needed <- function(plan, margin, power) {
  n <- 2
  while (plan(margin, n) < power) n <- n + 1
  n
}

# Rouder, Speckman, Sun, Morey and Iverson 2009, equation for the JZS prior, scale r.
jzs_01 <- function(t, df, n, r = 0.707) {
  null <- (1 + t^2 / df)^(-(df + 1) / 2)
  f <- function(g) (1 + n * g * r^2)^(-1/2) * (1 + t^2 / ((1 + n * g * r^2) * df))^(-(df + 1) / 2) *
    (2 * pi)^(-1/2) * g^(-3/2) * exp(-1 / (2 * g))
  null / (integrate(f, 0, 1, rel.tol = 1e-11)$value + integrate(f, 1, Inf, rel.tol = 1e-11)$value)
}

# The ratios that the data don't reject, found as roots instead of by the quadratic's formula.
fieller <- function(x, y, df, vx, vy, cov) {
  tc <- qt(0.975, df)
  g <- function(r) (mean(y) - r * mean(x))^2 - tc^2 * (vy - 2 * r * cov + r^2 * vx)
  r <- mean(y) / mean(x)
  width <- 3 * tc * sqrt(vy + vx * r^2) / mean(x)
  c(at(g, r - width, r), at(g, r, r + width))
}

permutation <- function(x, y) {
  all <- c(x, y)
  observed <- abs(mean(y) - mean(x))
  deals <- combn(length(all), length(y))
  d <- apply(deals, 2, function(i) abs(mean(all[i]) - mean(all[-i])))
  mean(d >= observed - 1e-9 * max(abs(all)))
}

signs <- function(d) {
  flips <- as.matrix(expand.grid(rep(list(c(-1, 1)), length(d))))
  mean(abs(flips %*% d) >= abs(sum(d)) - 1e-9 * sum(abs(d)))
}

for (set in names(sets)) {
  s <- sets[[set]]
  x <- s$control; y <- s$treatment
  n <- length(x); m <- length(y)
  paired <- isTRUE(s$paired)
  for (v in x) put(set, "data.control", v)
  for (v in y) put(set, "data.treatment", v)
  put(set, "data.margin", s$margin)
  put(set, "data.paired", paired)
  for (arm in c("control", "treatment")) {
    v <- s[[arm]]
    ci <- t.test(v)$conf.int
    put(set, paste0(arm, ".mean"), mean(v)); put(set, paste0(arm, ".low"), ci[1])
    put(set, paste0(arm, ".high"), ci[2]); put(set, paste0(arm, ".median"), median(v))
    put(set, paste0(arm, ".sd"), sd(v))
  }
  t95 <- t.test(y, x, paired = paired); t90 <- t.test(y, x, paired = paired, conf.level = 0.90)
  df <- unname(t95$parameter); se <- t95$stderr; margin <- s$margin * mean(x)
  put(set, "t", t95$statistic); put(set, "df", df); put(set, "p", t95$p.value)
  put(set, "difference", mean(y) - mean(x)); put(set, "low", t95$conf.int[1]); put(set, "high", t95$conf.int[2])
  put(set, "low90", t90$conf.int[1]); put(set, "high90", t90$conf.int[2])
  lower <- t.test(y, x, paired = paired, mu = -margin, alternative = "greater")$p.value
  upper <- t.test(y, x, paired = paired, mu = margin, alternative = "less")$p.value
  put(set, "p_lower", lower); put(set, "p_upper", upper); put(set, "p_equivalence", max(lower, upper))
  f <- fieller(x, y, df, var(x) / n, var(y) / m, if (paired) cov(x, y) / n else 0)
  put(set, "ratio.low", f[1]); put(set, "ratio.high", f[2])
  pooled <- sqrt(((n - 1) * var(x) + (m - 1) * var(y)) / (n + m - 2)); v <- n + m - 2
  put(set, "hedges_g", (mean(y) - mean(x)) / pooled * exp(lgamma(v / 2) - lgamma((v - 1) / 2)) / sqrt(v / 2))
  if (paired) {
    put(set, "bayes_factor_01", jzs_01(t95$statistic, df, n))
    put(set, "p_permutation", signs(y - x))
    plan <- function(margin, k) power_tost(margin, sd(y - x) / sqrt(k), k - 1)
  } else {
    student <- t.test(y, x, var.equal = TRUE)
    put(set, "bayes_factor_01", jzs_01(unname(student$statistic), n + m - 2, n * m / (n + m)))
    w <- suppressWarnings(wilcox.test(y, x))
    put(set, "u", w$statistic); put(set, "p_ranks", w$p.value)
    if (choose(n + m, n) <= 1e5) put(set, "p_permutation", permutation(x, y))
    plan <- function(margin, k) {
      q <- (var(x) + var(y)) / k
      power_tost(margin, sqrt(q), (k - 1) * (var(x) + var(y))^2 / (var(x)^2 + var(y)^2))
    }
  }
  put(set, "smallest_detectable", at(function(d) power_t(d, se, df) - 0.8, 0, 100 * se))
  put(set, "runs_80", runs_needed(plan, margin, 0.80)); put(set, "runs_90", runs_needed(plan, margin, 0.90))
}

# Power alone, where power.t.test has it: equal variances, equal arms.
for (n in c(2, 3, 5, 12, 40)) {
  p <- power.t.test(n = n, delta = 1, sd = 1, sig.level = 0.05, type = "two.sample", strict = TRUE)$power
  put("power", paste0("t.", n), p)
  put("power", paste0("tost.", n), power_tost(1.5, sqrt(2 / n), 2 * n - 2))
}
