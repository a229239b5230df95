# The figures that report/ computes, computed by R: the reference of tests/model/test_statistics.c. Run it as
#   Rscript tests/model/statistics.R > tests/model/statistics.tsv
# Base R only, written with R 4.2.2. Each output row: data set, figure, value; "data" rows hold the runs themselves.

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
              margin = 0.05, paired = TRUE),
  # Published: R's own PlantGrowth (Dobson 1983), and sleep (Student 1908).
  plants = list(control = PlantGrowth$weight[1:10], treatment = PlantGrowth$weight[11:20], margin = 0.1),
  sleep = list(control = sleep$extra[1:10], treatment = sleep$extra[11:20], margin = 0.5, paired = TRUE)
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

# Exact two-sided p by ranks, ties included: twice the smaller tail over all deals of the mid-ranks.
exact_ranks <- function(x, y) {
  r <- rank(c(x, y))
  sums <- combn(length(r), length(y), function(i) sum(r[i]))
  seen <- sum(r[-seq_along(x)])
  min(1, 2 * min(mean(sums <= seen + 1e-9), mean(sums >= seen - 1e-9)))
}

# The same of pairs; equal pairs are left out.
exact_signed <- function(d) {
  d <- d[d != 0]
  r <- rank(abs(d))
  sums <- as.vector(as.matrix(expand.grid(rep(list(c(0, 1)), length(d)))) %*% r)
  seen <- sum(r[d > 0])
  min(1, 2 * min(mean(sums <= seen + 1e-9), mean(sums >= seen - 1e-9)))
}

# Median of the sorted list, and its k-th value from either end.
enclose <- function(list, k) {
  list <- sort(as.vector(list))
  c(median(list), if (k > 0) list[k], if (k > 0) list[length(list) + 1 - k])
}

# Order statistics that enclose a quantile with at least 95 %, at most 2.5 % on either side.
exact_quantile <- function(v, p) {
  v <- sort(v); n <- length(v)
  low <- sum(pbinom(0:(n - 1), n, p) <= 0.025)
  high <- sum(pbinom(0:(n - 1), n, 1 - p) <= 0.025)
  if (low < 1 || high < 1) NULL else c(v[low], v[n + 1 - high])
}

# Brown and Forsythe 1974: the analysis of variance of distances from the medians.
spread <- function(x, y) {
  off <- c(abs(x - median(x)), abs(y - median(y)))
  a <- anova(lm(off ~ rep(c("x", "y"), c(length(x), length(y)))))
  c(a[1, "F value"], a[1, "Pr(>F)"])
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
    for (p in c(0.25, 0.5, 0.75)) {
      e <- exact_quantile(v, p)
      name <- paste0(arm, ".q", 100 * p)
      put(set, name, quantile(v, p))
      if (!is.null(e)) { put(set, paste0(name, ".low"), e[1]); put(set, paste0(name, ".high"), e[2]) }
    }
    put(set, paste0(arm, ".shapiro_w"), shapiro.test(v)$statistic)
    put(set, paste0(arm, ".shapiro_p"), shapiro.test(v)$p.value)
    put(set, paste0(arm, ".outliers"), if (length(v) < 4) 0 else sum(abs(v - median(v)) > 3.5 * mad(v)))
  }
  t95 <- t.test(y, x, paired = paired); t90 <- t.test(y, x, paired = paired, conf.level = 0.90)
  df <- unname(t95$parameter); se <- t95$stderr; margin <- s$margin * mean(x)
  put(set, "t", t95$statistic); put(set, "df", df); put(set, "p", t95$p.value)
  put(set, "difference", mean(y) - mean(x)); put(set, "low", t95$conf.int[1]); put(set, "high", t95$conf.int[2])
  put(set, "low90", t90$conf.int[1]); put(set, "high90", t90$conf.int[2])
  lower <- t.test(y, x, paired = paired, mu = -margin, alternative = "greater")$p.value
  upper <- t.test(y, x, paired = paired, mu = margin, alternative = "less")$p.value
  put(set, "non_inferiority", lower)
  put(set, "minimal_effect", t.test(y, x, paired = paired, mu = margin, alternative = "greater")$p.value)
  put(set, "p_lower", lower); put(set, "p_upper", upper); put(set, "p_equivalence", max(lower, upper))
  if (set != "sleep") { # where the control's mean is not told apart from 0
    f <- fieller(x, y, df, var(x) / n, var(y) / m, if (paired) cov(x, y) / n else 0)
    put(set, "ratio.low", f[1]); put(set, "ratio.high", f[2])
  }
  pooled <- sqrt(((n - 1) * var(x) + (m - 1) * var(y)) / (n + m - 2)); v <- n + m - 2
  put(set, "hedges_g", (mean(y) - mean(x)) / pooled * exp(lgamma(v / 2) - lgamma((v - 1) / 2)) / sqrt(v / 2))
  if (paired) {
    put(set, "bayes_factor_01", jzs_01(t95$statistic, df, n))
    put(set, "p_permutation", signs(y - x))
    d <- y - x
    put(set, "u", sum(rank(abs(d[d != 0]))[d[d != 0] > 0])); put(set, "p_ranks", exact_signed(d))
    put(set, "superiority", mean(d > 0) + mean(d == 0) / 2)
    e <- enclose(outer(d, d, "+")[upper.tri(diag(n), diag = TRUE)] / 2, qsignrank(0.025, n))
    plan <- function(margin, k) power_tost(margin, sd(y - x) / sqrt(k), k - 1)
  } else {
    student <- t.test(y, x, var.equal = TRUE)
    put(set, "bayes_factor_01", jzs_01(unname(student$statistic), n + m - 2, n * m / (n + m)))
    w <- suppressWarnings(wilcox.test(y, x))
    deals <- choose(n + m, n) <= 2e5
    put(set, "u", w$statistic); put(set, "p_ranks", if (deals) exact_ranks(x, y) else w$p.value)
    put(set, "superiority", w$statistic / n / m)
    put(set, "equal_spread_f", spread(x, y)[1]); put(set, "equal_spread_p", spread(x, y)[2])
    normal <- floor(n * m / 2 - qnorm(0.975) * sqrt(n * m * (n + m + 1) / 12))
    e <- enclose(outer(y, x, "-"), if (n < 50 && m < 50) qwilcox(0.025, n, m) else normal)
    if (choose(n + m, n) <= 1e5) put(set, "p_permutation", permutation(x, y))
    plan <- function(margin, k) {
      q <- (var(x) + var(y)) / k
      power_tost(margin, sqrt(q), (k - 1) * (var(x) + var(y))^2 / (var(x)^2 + var(y)^2))
    }
  }
  put(set, "shift", e[1])
  if (length(e) > 1) { put(set, "shift_low", e[2]); put(set, "shift_high", e[3]) }
  find <- function(effect, k) {
    if (paired) return(power_t(effect, sd(y - x) / sqrt(k), k - 1))
    power_t(effect, sqrt((var(x) + var(y)) / k), (k - 1) * (var(x) + var(y))^2 / (var(x)^2 + var(y)^2))
  }
  put(set, "find_80", runs_needed(find, margin, 0.80)); put(set, "find_90", runs_needed(find, margin, 0.90))
  put(set, "smallest_detectable", at(function(d) power_t(d, se, df) - 0.8, 0, 100 * se))
  put(set, "runs_80", runs_needed(plan, margin, 0.80)); put(set, "runs_90", runs_needed(plan, margin, 0.90))
}

# Power alone, where power.t.test has it: equal variances, equal arms.
for (n in c(2, 3, 5, 12, 40)) {
  p <- power.t.test(n = n, delta = 1, sd = 1, sig.level = 0.05, type = "two.sample", strict = TRUE)$power
  put("power", paste0("t.", n), p)
  put("power", paste0("tost.", n), power_tost(1.5, sqrt(2 / n), 2 * n - 2))
}

# The order of the runs: two kinds in turns, with a slope and with neighbours alike.
sequence <- function(set, value, turn, series) {
  for (v in value) put(set, "data.value", v)
  for (v in series) put(set, "data.series", v)
  off <- value - ave(value, series)
  model <- if (length(unique(series)) > 1) value ~ factor(series) + turn else value ~ turn
  f <- summary(lm(model))$coefficients["turn", ]
  put(set, "slope", f["Estimate"]); put(set, "drift_p", f["Pr(>|t|)"])
  neighbours <- sum(sapply(split(off, series), function(o) sum(o[-1] * o[-length(o)])))
  put(set, "lag_1", neighbours / sum(off^2))
  n <- length(off); u <- 2 * cumsum(rank(off)) - (1:n) * (n + 1)
  after <- which.max(abs(u)[-n])
  put(set, "change_after", after); put(set, "pettitt_k", max(abs(u)))
  put(set, "change_size", mean(off[(after + 1):n]) - mean(off[1:after]))
  first <- sapply(split(value, series), function(v) {
    rest <- v[-1]
    2 * pt(-abs(v[1] - mean(rest)) / sd(rest) / sqrt(1 + 1 / length(rest)), length(rest) - 1)
  })
  put(set, "first_p", min(1, min(first) * length(first)))
}
turns <- 0:23
sequence("turns", 60 + 3 * (turns %% 2) + turns / 9 + 2 * sin(turns / 3) + cos(7 * turns), turns, turns %% 2)
# Published: the Nile's flow, which changed after 1898, its 28th year (Cobb 1978).
sequence("nile", as.vector(Nile), 0:99, rep(0, 100))

# Clusters: the intraclass correlation from the analysis of variance within arms, and what the runs are worth.
labels <- rep(letters[1:8], c(3, 4, 2, 3, 5, 2, 3, 4))
value <- c(12.1, 12.4, 12.2, 13.9, 14.1, 13.8, 14.4, 11.7, 11.9, 13.0, 13.3, 12.8, 15.1, 14.8, 15.3, 15.0, 14.9, 13.1,
           13.6, 14.4, 14.0, 14.3, 16.0, 15.7, 15.8, 16.2)
arm <- rep(c("control", "treatment"), c(12, 14))
for (i in seq_along(value)) put("clusters", paste0("data.", arm[i]), value[i])
v <- anova(lm(value ~ arm + labels))
size <- tapply(value, labels, length); of <- tapply(arm, labels, function(a) a[1])
n0 <- (sum(size) - sum(tapply(size^2, of, sum) / tapply(size, of, sum))) / (length(size) - 2)
icc <- (v["labels", "Mean Sq"] - v["Residuals", "Mean Sq"]) /
  (v["labels", "Mean Sq"] + (n0 - 1) * v["Residuals", "Mean Sq"])
put("clusters", "icc", icc)
worth <- tapply(size, of, function(m) sum(m) / (1 + (sum(m^2) / sum(m) - 1) * icc))
put("clusters", "effective_control", worth["control"]); put("clusters", "effective_treatment", worth["treatment"])
means <- tapply(value, labels, mean)
welch <- t.test(means[of == "treatment"], means[of == "control"])
put("clusters", "difference", diff(welch$estimate[2:1])); put("clusters", "p", welch$p.value)

# BCa of the mean from the ideal bootstrap: every way to draw 8 runs from 8, by its probability.
draws <- function(n, k) {
  if (k == 1) return(matrix(n, 1))
  do.call(rbind, lapply(0:n, function(first) cbind(first, draws(n - first, k - 1))))
}
b <- c(4.1, 4.4, 4.6, 4.7, 5.0, 5.3, 6.2, 7.9)
for (i in b) put("bootstrap", "data.value", i)
counts <- draws(8, 8)
weight <- exp(lfactorial(8) - rowSums(lfactorial(counts)) - 8 * log(8))
means <- as.vector(counts %*% b) / 8
by <- order(means); means <- means[by]; weight <- weight[by]
z <- qnorm(sum(weight[means < mean(b) - 1e-9]) + sum(weight[abs(means - mean(b)) <= 1e-9]) / 2)
l <- b - mean(b); a <- sum(l^3) / (6 * sum(l^2)^1.5)
wide <- qt(0.975, 7) * sqrt(8 / 7)
for (side in c(-1, 1)) {
  level <- pnorm(z + (z + side * wide) / (1 - a * (z + side * wide)))
  put("bootstrap", if (side < 0) "low" else "high", means[which(cumsum(weight) >= level)[1]])
}
