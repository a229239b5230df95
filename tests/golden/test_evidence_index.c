/* Real logs, listings and dumps with the values that a person read off them: every row of the public samples' index. */
#include "report/evidence.h"
#include "report/mechanism.h"
#include "tests/data.h"

#include <math.h>
#include <string.h>

/* A figure of a run; the run by its index among all. NAN: the figure must be missing. */
struct figure {
    const char *file;
    guint run;
    const char *name;
    double value, tolerance; /* relative; 0: the same double */
};

struct fact {
    const char *file;
    guint run;
    const char *name, *value; /* NULL: missing */
};

/* How many runs of each kind a file holds: RUN, PART, SUMMARY, FAILED. */
struct shape {
    const char *file, *format;
    guint kinds[4];
    bool complete;
};

struct note {
    const char *file;
    int line;
    const char *text; /* a part of it */
};

struct refusal {
    const char *file, *why;
};

/* What a listing says about a name. */
struct finding {
    const char *file;
    enum mechanism_kind kind;
    const char *what, *process;
    enum mechanism_answer answer;
    const char *text;
};

static const struct shape SHAPES[] = {
    {"robocopy/en_win10_single_file.log", "robocopy", {1, 0, 0, 0}, true},
    {"robocopy/en_win10_single_file_unilog.log", "robocopy", {1, 0, 0, 0}, true},
    {"robocopy/en_append_three_jobs.log", "robocopy", {2, 0, 0, 1}, true},
    {"robocopy/en_2014_tail_ctime.log", "robocopy", {1, 0, 0, 0}, true},
    {"robocopy/de_2018_times_doubled.log", "robocopy", {1, 0, 0, 0}, true},
    {"robocopy/de_2019_zero_copied_cp850.log", "robocopy", {0, 0, 0, 1}, true},
    {"robocopy/fr_2025_zero_bytes_cp850.log", "robocopy", {0, 0, 0, 1}, true},
    {"robocopy/fr_speed_lines_grouped.frag", "robocopy", {1, 0, 0, 0}, false},
    {"robocopy/it_speed_lines_grouped.frag", "robocopy", {1, 0, 0, 0}, false},
    {"robocopy/it_win11_list_only_bytes.log", "robocopy", {0, 0, 0, 1}, true},
    {"robocopy/es_winrm_progress_no_dates.log", "robocopy", {1, 0, 0, 0}, true},
    {"robocopy/es_2025_copied_but_no_speed.log", "robocopy", {0, 0, 0, 1}, true},
    {"robocopy/ja_2024_mt128_zero_copied.log", "robocopy", {0, 0, 0, 1}, true},
    {"robocopy/zh_2023_ungrouped.log", "robocopy", {1, 0, 0, 0}, true},
    {"robocopy/zh_2023_zero_copied.log", "robocopy", {0, 0, 0, 1}, true},
    {"robocopy/zh_mt8_cr_progress_one_speed.log", "robocopy", {1, 0, 0, 0}, true},
    {"robocopy/en_reskit_1x_summary.frag", "robocopy", {1, 0, 0, 0}, true},
    {"procmon/win10_27cols_bom.csv", "procmon", {4, 5, 0, 2}, true},
    {"procmon/default_columns_plus_tid_no_bom.csv", "procmon", {0, 2, 0, 1}, false},
    {"procmon/locale_24h_comma_constructed.csv", "procmon", {3, 3, 0, 0}, true},
    {"perfmon/logman_blank_first_sample.csv", "perfmon", {1, 3, 0, 0}, true},
    {"perfmon/dst_backwards_negative_bias.csv", "perfmon", {1, 4, 0, 0}, true},
    {"perfmon/typeperf_stdout_trailer.csv", "perfmon", {1, 1, 0, 0}, true},
    {"perfmon/tsv_constructed.tsv", "perfmon", {1, 2, 0, 0}, true},
    {"json/hyperfine_1.15_two_commands.json", "hyperfine", {10, 0, 0, 0}, true},
    {"json/hyperfine_1.15_nonzero_exit.json", "hyperfine", {0, 0, 0, 2}, true},
    {"json/hyperfine_1.15_parameters.json", "hyperfine", {4, 0, 0, 0}, true},
    {"json/pyperf_1.0_seconds.json", "pyperf", {6, 0, 0, 0}, true},
    {"json/pyperf_1.0_unit_byte.json", "pyperf", {3, 0, 0, 0}, true},
    {"json/gbench_2_repetitions.json", "google-benchmark", {2, 0, 2, 0}, true},
    {"json/iperf3_3.12_tcp_omit1.json", "iperf3", {1, 3, 0, 1}, true},
    {"json/fio_3.33_seqread.json", "fio", {1, 0, 0, 0}, true},
    {"json/fio_3.33_bw_log.csv", "fio", {0, 12, 0, 0}, true},
    {"json/diskspd_2.2_text.txt", "diskspd", {3, 0, 0, 0}, true},
    {"json/diskspd_2.2_results.xml", "diskspd", {3, 0, 0, 0}, true},
    {"copytools/rsync_3.5_stats.txt", "rsync", {0, 0, 0, 1}, true},
    {"copytools/rsync_3.5_progress2_cr.txt", "rsync", {1, 0, 0, 0}, true},
    {"copytools/rclone_1.60_text.log", "rclone", {0, 0, 0, 2}, true},
    {"copytools/rclone_1.60_json.log", "rclone", {1, 0, 0, 0}, true},
    {"copytools/dd_variants.txt", "dd", {3, 0, 0, 1}, true},
    {"copytools/smbclient_from_source.txt", "smbclient", {2, 0, 0, 0}, true},
    {"copytools/fastcopy_5.2.4.log", "fastcopy", {1, 0, 0, 0}, true},
    {"timing/time_outputs.txt", "time", {4, 0, 0, 0}, true},
    {"timing/measure_command_comma_locale.txt", "time", {1, 0, 0, 0}, true},
    {"timing/criterion_raw.csv", "criterion", {4, 0, 0, 0}, true},
    {"timing/hyperfine_1.15_summary.csv", "hyperfine", {0, 0, 2, 0}, true},
};

/* Rounded sizes are what the log's digits say times 1024 to the power of the suffix. */
#define KIB 1024.0
#define MIB (1024.0 * 1024)
#define GIB (1024.0 * 1024 * 1024)
#define TIB (1024.0 * 1024 * 1024 * 1024)

static const struct figure FIGURES[] = {
    {"robocopy/en_win10_single_file.log", 0, "speed", 542792282, 0},
    {"robocopy/en_win10_single_file.log", 0, "speed_per_minute", 31058.823, 0},
    {"robocopy/en_win10_single_file.log", 0, "dirs_total", 1, 0},
    {"robocopy/en_win10_single_file.log", 0, "dirs_copied", 0, 0},
    {"robocopy/en_win10_single_file.log", 0, "dirs_skipped", 1, 0},
    {"robocopy/en_win10_single_file.log", 0, "files_total", 1, 0},
    {"robocopy/en_win10_single_file.log", 0, "files_copied", 1, 0},
    {"robocopy/en_win10_single_file.log", 0, "bytes_total", 46137344, 0},
    {"robocopy/en_win10_single_file_unilog.log", 0, "speed", 542792282, 0},
    {"robocopy/en_win10_single_file_unilog.log", 0, "speed_per_minute", 31058.823, 0},
    {"robocopy/en_win10_single_file_unilog.log", 0, "bytes_total", 46137344, 0},
    {"robocopy/en_append_three_jobs.log", 0, "speed", 542792282, 0},
    {"robocopy/en_append_three_jobs.log", 1, "speed", NAN, 0},
    {"robocopy/en_append_three_jobs.log", 1, "files_copied", 0, 0},
    {"robocopy/en_append_three_jobs.log", 2, "speed", 538252733, 0},
    {"robocopy/en_append_three_jobs.log", 2, "speed_per_minute", 30799.068, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "speed", 106742705, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "speed_per_minute", 6107.866, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "files_total", 146833, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "files_copied", 2, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "files_skipped", 146831, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "bytes_copied", 3.660 * GIB, 1e-12},
    {"robocopy/en_2014_tail_ctime.log", 0, "seconds_total", 146, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "seconds_copied", 36, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "seconds_skipped", NAN, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "seconds_failed", 0, 0},
    {"robocopy/en_2014_tail_ctime.log", 0, "seconds_extras", 109, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "speed", 163428952, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "speed_per_minute", 9351.479, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "files_total", 4321, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "files_copied", 4321, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "bytes_copied", 2.032 * TIB, 1e-12},
    {"robocopy/de_2018_times_doubled.log", 0, "seconds_total", 54691, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "seconds_copied", 13672, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "seconds_extras", 13673, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "wall_seconds", 27346, 0},
    {"robocopy/de_2018_times_doubled.log", 0, "rate", 81.7e6, 1e-3},
    {"robocopy/de_2019_zero_copied_cp850.log", 0, "files_total", 1, 0},
    {"robocopy/de_2019_zero_copied_cp850.log", 0, "files_skipped", 1, 0},
    {"robocopy/de_2019_zero_copied_cp850.log", 0, "bytes_total", 11, 0},
    {"robocopy/de_2019_zero_copied_cp850.log", 0, "bytes_copied", 0, 0},
    {"robocopy/de_2019_zero_copied_cp850.log", 0, "speed", NAN, 0},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "files_total", 3, 0},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "files_copied", 2, 0},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "files_extras", 1, 0},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "bytes_total", 504, 0},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "bytes_extras", 3.9 * KIB, 1e-12},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "speed", NAN, 0},
    {"robocopy/fr_speed_lines_grouped.frag", 0, "speed", 6621000, 0},
    {"robocopy/fr_speed_lines_grouped.frag", 0, "speed_per_minute", 378.857, 0},
    {"robocopy/it_speed_lines_grouped.frag", 0, "speed", 257555063, 0},
    {"robocopy/it_speed_lines_grouped.frag", 0, "speed_per_minute", 14737.419, 0},
    {"robocopy/it_win11_list_only_bytes.log", 0, "files_total", 5, 0},
    {"robocopy/it_win11_list_only_bytes.log", 0, "files_copied", 4, 0},
    {"robocopy/it_win11_list_only_bytes.log", 0, "files_extras", 2, 0},
    {"robocopy/it_win11_list_only_bytes.log", 0, "bytes_total", 47, 0},
    {"robocopy/it_win11_list_only_bytes.log", 0, "bytes_copied", 41, 0},
    {"robocopy/it_win11_list_only_bytes.log", 0, "bytes_skipped", 6, 0},
    {"robocopy/it_win11_list_only_bytes.log", 0, "rate", NAN, 0},
    {"robocopy/es_winrm_progress_no_dates.log", 0, "speed", 31968780, 0},
    {"robocopy/es_winrm_progress_no_dates.log", 0, "speed_per_minute", 1829.268, 0},
    {"robocopy/es_winrm_progress_no_dates.log", 0, "bytes_copied", 20971520, 0},
    {"robocopy/es_winrm_progress_no_dates.log", 0, "wall_seconds", NAN, 0},
    {"robocopy/es_2025_copied_but_no_speed.log", 0, "files_copied", 1, 0},
    {"robocopy/es_2025_copied_but_no_speed.log", 0, "bytes_copied", 14.4 * KIB, 1e-12},
    {"robocopy/es_2025_copied_but_no_speed.log", 0, "rate", NAN, 0},
    {"robocopy/ja_2024_mt128_zero_copied.log", 0, "files_total", 10940, 0},
    {"robocopy/ja_2024_mt128_zero_copied.log", 0, "bytes_total", 26.725 * GIB, 1e-12},
    {"robocopy/ja_2024_mt128_zero_copied.log", 0, "bytes_copied", 0, 0},
    {"robocopy/ja_2024_mt128_zero_copied.log", 0, "speed", NAN, 0},
    {"robocopy/zh_2023_ungrouped.log", 0, "speed", 309684459, 0},
    {"robocopy/zh_2023_ungrouped.log", 0, "speed_per_minute", 17720.286, 0},
    {"robocopy/zh_2023_ungrouped.log", 0, "bytes_copied", 18.01 * MIB, 1e-12},
    {"robocopy/zh_2023_zero_copied.log", 0, "files_skipped", 1, 0},
    {"robocopy/zh_2023_zero_copied.log", 0, "speed", NAN, 0},
    {"robocopy/zh_mt8_cr_progress_one_speed.log", 0, "speed", 4012408257, 0},
    {"robocopy/zh_mt8_cr_progress_one_speed.log", 0, "speed_per_minute", NAN, 0},
    {"robocopy/zh_mt8_cr_progress_one_speed.log", 0, "files_total", 4, 0},
    {"robocopy/zh_mt8_cr_progress_one_speed.log", 0, "files_copied", 3, 0},
    {"robocopy/zh_mt8_cr_progress_one_speed.log", 0, "files_failed", 1, 0},
    {"robocopy/zh_mt8_cr_progress_one_speed.log", 0, "bytes_copied", 1.464 * GIB, 1e-12},
    {"robocopy/en_reskit_1x_summary.frag", 0, "files_total", 960, 0},
    {"robocopy/en_reskit_1x_summary.frag", 0, "files_copied", 13, 0},
    {"robocopy/en_reskit_1x_summary.frag", 0, "files_skipped", 947, 0},
    {"robocopy/en_reskit_1x_summary.frag", 0, "seconds_total", 16.914, 1e-12},
    {"robocopy/en_reskit_1x_summary.frag", 0, "seconds_copied", 3.504, 1e-12},
    {"robocopy/en_reskit_1x_summary.frag", 0, "seconds_failed", 0, 0},
    {"robocopy/en_reskit_1x_summary.frag", 0, "seconds_extras", 13.410, 1e-12},
    {"robocopy/en_reskit_1x_summary.frag", 0, "speed", NAN, 0},
    {"procmon/win10_27cols_bom.csv", 0, "offset", 5242880, 0},
    {"procmon/win10_27cols_bom.csv", 0, "bytes", 1048576, 0},
    {"procmon/win10_27cols_bom.csv", 0, "seconds", 0.0048631, 0},
    {"procmon/win10_27cols_bom.csv", 1, "bytes", 1048576, 0},
    {"procmon/win10_27cols_bom.csv", 3, "bytes", 4096, 0},
    {"procmon/win10_27cols_bom.csv", 5, "bytes", 422400, 0},
    {"procmon/win10_27cols_bom.csv", 6, "bytes", 24, 0},
    {"procmon/default_columns_plus_tid_no_bom.csv", 0, "bytes", 16384, 0},
    {"procmon/default_columns_plus_tid_no_bom.csv", 1, "bytes", 16384, 0},
    {"procmon/default_columns_plus_tid_no_bom.csv", 0, "seconds", NAN, 0},
    {"procmon/locale_24h_comma_constructed.csv", 0, "bytes", 1048576, 0},
    {"procmon/locale_24h_comma_constructed.csv", 1, "bytes", 1048576, 0},
    {"procmon/locale_24h_comma_constructed.csv", 2, "bytes", 422400, 0},
    {"procmon/locale_24h_comma_constructed.csv", 0, "seconds", 0.0048631, 0},
    {"procmon/locale_24h_comma_constructed.csv", 1, "seconds", 0.0035803, 0},
    {"procmon/locale_24h_comma_constructed.csv", 2, "seconds", 0.0019493, 0},
    {"perfmon/logman_blank_first_sample.csv", 0, "Processor(_Total)\\% Processor Time", NAN, 0},
    {"perfmon/logman_blank_first_sample.csv", 1, "Processor(_Total)\\% Processor Time", 68.1, 0},
    {"perfmon/logman_blank_first_sample.csv", 2, "Processor(_Total)\\% Processor Time", 74.6, 0},
    {"perfmon/logman_blank_first_sample.csv", 0, "Memory\\Available MBytes", 4112, 0},
    {"perfmon/logman_blank_first_sample.csv", 1, "Memory\\Available MBytes", 4117, 0},
    {"perfmon/logman_blank_first_sample.csv", 2, "Memory\\Available MBytes", 4155, 0},
    {"perfmon/logman_blank_first_sample.csv", 0, "PhysicalDisk(_Total)\\% Disk Time", NAN, 0},
    {"perfmon/logman_blank_first_sample.csv", 1, "PhysicalDisk(_Total)\\% Disk Time", 1056.5, 0},
    {"perfmon/logman_blank_first_sample.csv", 2, "PhysicalDisk(_Total)\\% Disk Time", 296.5, 0},
    {"perfmon/logman_blank_first_sample.csv", 3, "Memory\\Available MBytes", 4128, 1e-12},
    {"perfmon/dst_backwards_negative_bias.csv", 4, "rows", 4, 0},
    {"perfmon/typeperf_stdout_trailer.csv", 0,
     "Thermal Zone Information(\\_TZ.THRM)\\High Precision Temperature", 3332, 0},
    {"perfmon/typeperf_stdout_trailer.csv", 0,
     "Thermal Zone Information(\\_TZ.CPUZ)\\High Precision Temperature", 3481, 0},
    {"perfmon/tsv_constructed.tsv", 0, "PhysicalDisk(_Total)\\Disk Bytes/sec", NAN, 0},
    {"perfmon/tsv_constructed.tsv", 1, "PhysicalDisk(_Total)\\Disk Bytes/sec", 187688.624809, 0},
    {"perfmon/tsv_constructed.tsv", 0, "SMB Client Shares(\\srv1\\share)\\Data Bytes/sec", NAN, 0},
    {"perfmon/tsv_constructed.tsv", 1, "SMB Client Shares(\\srv1\\share)\\Data Bytes/sec", 1234000, 0},
    {"json/hyperfine_1.15_two_commands.json", 0, "seconds", 0.011016711, 0},
    {"json/hyperfine_1.15_two_commands.json", 9, "seconds", 0.021109204000000003, 0},
    {"json/hyperfine_1.15_nonzero_exit.json", 0, "exit_code", 1, 0},
    {"json/hyperfine_1.15_nonzero_exit.json", 1, "exit_code", 1, 0},
    {"json/pyperf_1.0_seconds.json", 0, "seconds", 0.022752201875846367, 0},
    {"json/pyperf_1.0_seconds.json", 5, "seconds", 0.022338727125315927, 0},
    {"json/pyperf_1.0_unit_byte.json", 0, "bytes", 7360512, 0},
    {"json/pyperf_1.0_unit_byte.json", 1, "bytes", 7364608, 0},
    {"json/pyperf_1.0_unit_byte.json", 2, "bytes", 7380992, 0},
    {"json/pyperf_1.0_unit_byte.json", 0, "seconds", NAN, 0},
    {"json/gbench_2_repetitions.json", 0, "seconds", 1639227.2438353568, 0},
    {"json/gbench_2_repetitions.json", 1, "seconds", 1714393.6117703272, 0},
    {"json/iperf3_3.12_tcp_omit1.json", 4, "bytes", 1966080, 0},
    {"json/iperf3_3.12_tcp_omit1.json", 4, "seconds", 2.000005, 0},
    {"json/iperf3_3.12_tcp_omit1.json", 4, "rate", 7864300.339249153, 0},
    {"json/fio_3.33_seqread.json", 0, "bytes", 4194304, 0},
    {"json/fio_3.33_seqread.json", 0, "bw", 1365333, 0},
    {"json/fio_3.33_seqread.json", 0, "rate", 1398101333, 0},
    {"json/fio_3.33_seqread.json", 0, "seconds", 0.003, 0},
    {"json/fio_3.33_bw_log.csv", 0, "seconds", 0, 0},
    {"json/fio_3.33_bw_log.csv", 0, "rate", 117472, 0},
    {"json/fio_3.33_bw_log.csv", 0, "block", 65536, 0},
    {"json/diskspd_2.2_text.txt", 0, "seconds", 120, 0},
    {"json/diskspd_2.2_text.txt", 0, "bytes", 6291456, 0},
    {"json/diskspd_2.2_text.txt", 1, "bytes", 4194304, 0},
    {"json/diskspd_2.2_text.txt", 2, "bytes", 2097152, 0},
    {"json/diskspd_2.2_text.txt", 0, "rate", 0.05 * MIB, 1e-9},
    {"json/diskspd_2.2_results.xml", 0, "seconds", 120, 0},
    {"json/diskspd_2.2_results.xml", 0, "bytes", 6291456, 0},
    {"copytools/rsync_3.5_stats.txt", 0, "sent", 2300733, 0},
    {"copytools/rsync_3.5_stats.txt", 0, "received", 54, 0},
    {"copytools/rsync_3.5_stats.txt", 0, "printed_rate", 4601574, 0},
    {"copytools/rsync_3.5_stats.txt", 0, "total_size", 2300000, 0},
    {"copytools/rsync_3.5_stats.txt", 0, "rate", NAN, 0},
    {"copytools/rsync_3.5_progress2_cr.txt", 0, "bytes", 2300000, 0},
    {"copytools/rsync_3.5_progress2_cr.txt", 0, "rate", 1.06 * GIB, 1e-12},
    {"copytools/rclone_1.60_text.log", 0, "bytes", 2.193 * MIB, 1e-12},
    {"copytools/rclone_1.60_text.log", 0, "momentary_rate", 0, 0},
    {"copytools/rclone_1.60_text.log", 1, "bytes", 1.5 * GIB, 0},
    {"copytools/rclone_1.60_text.log", 1, "total_bytes", 6 * GIB, 0},
    {"copytools/rclone_1.60_text.log", 1, "momentary_rate", 4 * MIB, 0},
    {"copytools/rclone_1.60_json.log", 0, "bytes", 2300000, 0},
    {"copytools/rclone_1.60_json.log", 0, "seconds", 0.038149499, 0},
    {"copytools/rclone_1.60_json.log", 0, "files", 2, 0},
    {"copytools/rclone_1.60_json.log", 0, "errors", 0, 0},
    {"copytools/dd_variants.txt", 0, "bytes", 3145728, 0},
    {"copytools/dd_variants.txt", 0, "seconds", 0.00115639, 0},
    {"copytools/dd_variants.txt", 1, "bytes", 500, 0},
    {"copytools/dd_variants.txt", 1, "seconds", 7.3119e-05, 0},
    {"copytools/dd_variants.txt", 2, "bytes", 0, 0},
    {"copytools/dd_variants.txt", 3, "bytes", 8388608, 0},
    {"copytools/dd_variants.txt", 3, "seconds", 10.029590, 0},
    {"copytools/dd_variants.txt", 3, "printed_rate", 836403, 1e-6},
    {"copytools/smbclient_from_source.txt", 0, "rate", 48761.9, 0},
    {"copytools/smbclient_from_source.txt", 0, "bytes", 104857600, 0},
    {"copytools/smbclient_from_source.txt", 1, "rate", 51200, 0},
    {"copytools/fastcopy_5.2.4.log", 0, "bytes", 8153 * MIB, 0},
    {"copytools/fastcopy_5.2.4.log", 0, "seconds", 9786, 0},
    {"copytools/fastcopy_5.2.4.log", 0, "printed_rate", 1.38, 0},
    {"copytools/fastcopy_5.2.4.log", 0, "errors", 1, 0},
    {"timing/time_outputs.txt", 0, "seconds", 0.051, 0},
    {"timing/time_outputs.txt", 1, "seconds", 0.05, 0},
    {"timing/time_outputs.txt", 2, "seconds", 0.05, 0},
    {"timing/time_outputs.txt", 3, "seconds", 0.05, 0},
    {"timing/measure_command_comma_locale.txt", 0, "seconds", 1.594866, 1e-12},
    {"timing/criterion_raw.csv", 0, "seconds", 8.26260, 1e-6},
    {"timing/criterion_raw.csv", 1, "seconds", 8.86762, 1e-6},
    {"timing/criterion_raw.csv", 2, "seconds", 8.46427, 1e-6},
    {"timing/criterion_raw.csv", 3, "seconds", 8.50415, 1e-6},
    {"timing/hyperfine_1.15_summary.csv", 0, "mean", 0.011004403, 0},
    {"timing/hyperfine_1.15_summary.csv", 1, "mean", 0.0211216844, 1e-12},
};

static const struct fact FACTS[] = {
    {"robocopy/en_win10_single_file.log", 0, "language", "en"},
    {"robocopy/en_win10_single_file.log", 0, "start", "2023-05-09T20:29:01"},
    {"robocopy/en_win10_single_file.log", 0, "end", "2023-05-09T20:29:02"},
    {"robocopy/en_win10_single_file_unilog.log", 0, "language", "en"},
    {"robocopy/en_win10_single_file_unilog.log", 0, "end", "2023-05-09T20:29:02"},
    {"robocopy/en_2014_tail_ctime.log", 0, "end", "2014-10-24T15:13:48"},
    {"robocopy/en_2014_tail_ctime.log", 0, "start", NULL},
    {"robocopy/de_2018_times_doubled.log", 0, "language", "de"},
    {"robocopy/de_2019_zero_copied_cp850.log", 0, "language", "de"},
    {"robocopy/de_2019_zero_copied_cp850.log", 0, "start", "2019-11-27T19:48:33"},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "language", "fr"},
    {"robocopy/fr_2025_zero_bytes_cp850.log", 0, "start", "2025-12-21T19:26:18"},
    {"robocopy/it_win11_list_only_bytes.log", 0, "language", "it"},
    {"robocopy/es_winrm_progress_no_dates.log", 0, "language", "es"},
    {"robocopy/es_winrm_progress_no_dates.log", 0, "start", NULL},
    {"robocopy/es_winrm_progress_no_dates.log", 0, "end", NULL},
    {"robocopy/es_2025_copied_but_no_speed.log", 0, "language", "es"},
    {"robocopy/es_2025_copied_but_no_speed.log", 0, "start", "2025-08-18T22:31:59"},
    {"robocopy/es_2025_copied_but_no_speed.log", 0, "end", "2025-08-18T22:31:59"},
    {"robocopy/ja_2024_mt128_zero_copied.log", 0, "language", "ja"},
    {"robocopy/ja_2024_mt128_zero_copied.log", 0, "start", "2024-04-27T19:24:37"},
    {"robocopy/ja_2024_mt128_zero_copied.log", 0, "end", "2024-04-27T19:24:40"},
    {"robocopy/zh_2023_ungrouped.log", 0, "language", "zh"},
    {"perfmon/dst_backwards_negative_bias.csv", 4, "time_monotonic", "no"},
    {"perfmon/logman_blank_first_sample.csv", 3, "time_monotonic", "yes"},
    {"json/hyperfine_1.15_parameters.json", 0, "t", "1"},
    {"json/hyperfine_1.15_parameters.json", 2, "t", "2"},
};

/* Facts of the file itself. */
static const struct fact FILE_FACTS[] = {
    {"perfmon/logman_blank_first_sample.csv", 0, "bias_minutes", "420"},
    {"perfmon/dst_backwards_negative_bias.csv", 0, "bias_minutes", "-60"},
    {"perfmon/typeperf_stdout_trailer.csv", 0, "bias_minutes", NULL},
};

static const struct note NOTES[] = {
    {"robocopy/de_2018_times_doubled.log", 18, "the times add up to 54691 s"},
    {"procmon/win10_27cols_bom.csv", 0, "4 rows are neither reads nor writes"},
    {"procmon/default_columns_plus_tid_no_bom.csv", 4, "the file ends inside this row"},
    {"perfmon/typeperf_stdout_trailer.csv", 4, "text behind the rows"},
    {"perfmon/typeperf_stdout_trailer.csv", 5, "text behind the rows"},
    {"json/iperf3_3.12_tcp_omit1.json", 61, "-O leaves out"},
    {"timing/hyperfine_1.15_summary.csv", 0, "holds means and no runs"},
};

static const struct refusal REFUSALS[] = {
    {"json/gbench_stdout_mixed_invalid.txt", "isn't JSON at byte 1"},
};

static const struct finding FINDINGS[] = {
    {"modules/windbg_lm_x64_wrapped.txt", MECHANISM_MODULES, "notepad", NULL, MECHANISM_PRESENT,
     "notepad is loaded"},
    {"modules/windbg_lm_x64_wrapped.txt", MECHANISM_MODULES, "kernel32.dll", NULL, MECHANISM_PRESENT,
     "KERNEL32"},
    {"modules/windbg_lm_x64_wrapped.txt", MECHANISM_MODULES, "combase", NULL, MECHANISM_PRESENT, ""},
    {"modules/windbg_lm_x64_wrapped.txt", MECHANISM_MODULES, "advapi32", NULL, MECHANISM_PRESENT, ""},
    {"modules/windbg_lm_x64_wrapped.txt", MECHANISM_MODULES, "msvcrt", NULL, MECHANISM_CANT_TELL,
     "incomplete"},
    {"modules/windbg_lm_kd_unloaded_section.txt", MECHANISM_MODULES, "fastfat.sys", NULL, MECHANISM_PRESENT,
     ""},
    {"modules/windbg_lm_kd_unloaded_section.txt", MECHANISM_MODULES, "kernel32", NULL, MECHANISM_PRESENT, ""},
    {"modules/windbg_lm_kd_unloaded_section.txt", MECHANISM_MODULES, "rsaenh", NULL, MECHANISM_CANT_TELL,
     "had been loaded before"},
    {"modules/windbg_lm_kd_unloaded_section.txt", MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL,
     "cut rows out"},
    {"modules/windbg_lm_filter_only_unloaded.txt", MECHANISM_MODULES, "nvhda64v.sys", NULL,
     MECHANISM_CANT_TELL, "had been loaded before"},
    {"modules/windbg_lm_filter_only_unloaded.txt", MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL,
     "filtered by \"*nvhda*\""},
    {"modules/windbg_lmvm_status_T.txt", MECHANISM_MODULES, "atikmpag.sys", NULL, MECHANISM_PRESENT, ""},
    {"modules/windbg_lmvm_status_T.txt", MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL,
     "filtered"},
    {"modules/windbg_peb_user_x64.txt", MECHANISM_MODULES, "MSCOREE", "update.exe", MECHANISM_PRESENT, ""},
    {"modules/windbg_peb_user_x64.txt", MECHANISM_MODULES, "rpcrt4.dll", NULL, MECHANISM_PRESENT, ""},
    {"modules/windbg_process_and_peb_without_list.txt", MECHANISM_MODULES, "ntdll", NULL, MECHANISM_CANT_TELL,
     "no module rows"},
    {"modules/tasklist_m_complete.txt", MECHANISM_MODULES, "RPCRT4.dll", "spoolsv.exe 1304",
     MECHANISM_PRESENT, ""},
    {"modules/tasklist_m_complete.txt", MECHANISM_MODULES, "msrdc.dll", "spoolsv.exe 1304", MECHANISM_ABSENT,
     "22 rows"},
    {"modules/tasklist_m_complete.txt", MECHANISM_MODULES, "msrdc.dll", NULL, MECHANISM_CANT_TELL,
     "all processes"},
    {"modules/tasklist_svc.txt", MECHANISM_SERVICES, "LanmanServer", "svchost.exe 904", MECHANISM_PRESENT,
     ""},
    {"modules/tasklist_svc.txt", MECHANISM_SERVICES, "LanmanWorkstation", "svchost.exe 336",
     MECHANISM_PRESENT, ""},
    {"modules/tasklist_svc.txt", MECHANISM_SERVICES, "LanmanWorkstation", "svchost.exe 904", MECHANISM_ABSENT,
     ""},
    {"modules/listdlls_32.txt", MECHANISM_MODULES, "msrdc.dll", "Rscript.exe 14312", MECHANISM_ABSENT,
     "4 rows"},
    {"modules/listdlls_32.txt", MECHANISM_MODULES, "wrap.dll", "svchost.exe", MECHANISM_PRESENT, ""},
    {"modules/listdlls_32.txt", MECHANISM_MODULES, "msrdc.dll", "svchost.exe", MECHANISM_CANT_TELL,
     "filtered"},
    {"modules/lsmod_rdma.txt", MECHANISM_MODULES, "ib_core", NULL, MECHANISM_PRESENT, ""},
    {"modules/lsmod_rdma.txt", MECHANISM_MODULES, "cifs", NULL, MECHANISM_CANT_TELL, "built into the kernel"},
    {"modules/proc_self_maps.txt", MECHANISM_MODULES, "libc.so.6", NULL, MECHANISM_PRESENT, ""},
    {"modules/proc_self_maps.txt", MECHANISM_MODULES, "ld-linux-x86-64.so.2", NULL, MECHANISM_PRESENT, ""},
    {"modules/proc_self_maps.txt", MECHANISM_MODULES, "cat", NULL, MECHANISM_PRESENT, ""},
    {"modules/proc_self_maps.txt", MECHANISM_MODULES, "libssl.so.3", NULL, MECHANISM_ABSENT, ""},
    {"windows_config/get_smbconnection_table.txt", MECHANISM_SETTINGS, "Dialect=3.00", "row 3",
     MECHANISM_PRESENT, ""},
    {"windows_config/get_smbconnection_table.txt", MECHANISM_SETTINGS, "Dialect=3.00", "row 4",
     MECHANISM_CANT_TELL, ""},
    {"windows_config/get_smbconnection_list.txt", MECHANISM_SETTINGS, "Dialect = 3.00", "object 2",
     MECHANISM_PRESENT, ""},
    {"windows_config/get_smbconnection_list.txt", MECHANISM_SETTINGS, "Encrypted=True", NULL,
     MECHANISM_ABSENT, "Encrypted is False"},
    {"windows_config/get_smbmultichannel_table.txt", MECHANISM_SETTINGS, "Selected=True", "row 1",
     MECHANISM_PRESENT, ""},
    {"windows_config/get_smbmultichannel_table.txt", MECHANISM_SETTINGS, "Selected=True", "row 2",
     MECHANISM_ABSENT, ""},
    {"windows_config/get_smbmultichannel_table.txt", MECHANISM_SETTINGS, "Selected=True", "row 3",
     MECHANISM_PRESENT, ""},
    {"windows_config/get_smbmultichannel_table.txt", MECHANISM_SETTINGS, "Selected=True", "row 4",
     MECHANISM_ABSENT, ""},
    {"windows_config/get_smbmultichannel_table.txt", MECHANISM_SETTINGS, "ClientRDMACapable=True", "row 1",
     MECHANISM_PRESENT, ""},
    {"windows_config/get_smbmultichannel_list.txt", MECHANISM_SETTINGS, "ClientLinkSpeed=32000000000", NULL,
     MECHANISM_PRESENT, ""},
    {"windows_config/get_smbmultichannel_list.txt", MECHANISM_SETTINGS, "CurrentChannels=2", NULL,
     MECHANISM_PRESENT, ""},
    {"windows_config/get_smbclientconfiguration_2022doc.txt", MECHANISM_SETTINGS,
     "EnableBandwidthThrottling=true", NULL, MECHANISM_PRESENT, ""},
    {"windows_config/get_smbclientconfiguration_2022doc.txt", MECHANISM_SETTINGS, "WindowSizeThreshold=1",
     NULL, MECHANISM_PRESENT, ""},
    {"windows_config/get_smbclientconfiguration_2022doc.txt", MECHANISM_SETTINGS,
     "RequireSecuritySignature=True", NULL, MECHANISM_ABSENT, "False"},
    {"windows_config/get_smbclientconfiguration_2025.txt", MECHANISM_SETTINGS,
     "RequireSecuritySignature=True", NULL, MECHANISM_PRESENT, ""},
    {"windows_config/get_smbclientconfiguration_2025.txt", MECHANISM_SETTINGS, "RequestCompression=True",
     NULL, MECHANISM_ABSENT, "RequestCompression is False"},
    {"windows_config/get_smbclientconfiguration_2025.txt", MECHANISM_SETTINGS, "WindowSizeThreshold=8", NULL,
     MECHANISM_PRESENT, ""},
    {"windows_config/netsh_tcp_global_win7_heuristics.txt", MECHANISM_SETTINGS,
     "Receive Window Auto-Tuning Level=normal", NULL, MECHANISM_CANT_TELL, "overridden"},
    {"windows_config/netsh_tcp_global_win7_heuristics.txt", MECHANISM_SETTINGS,
     "Chimney Offload State=automatic", NULL, MECHANISM_PRESENT, ""},
    {"windows_config/netsh_tcp_global_win7_heuristics.txt", MECHANISM_SETTINGS, "NetDMA State=enabled", NULL,
     MECHANISM_PRESENT, ""},
    {"windows_config/netsh_tcp_global_win10_2022.txt", MECHANISM_SETTINGS,
     "Receive Window Auto-Tuning Level=normal", NULL, MECHANISM_PRESENT, ""},
    {"windows_config/netsh_tcp_global_win10_2022.txt", MECHANISM_SETTINGS, "ECN Capability=enabled", NULL,
     MECHANISM_PRESENT, ""},
    {"windows_config/netsh_tcp_global_win10_2022.txt", MECHANISM_SETTINGS, "RFC 1323 Timestamps=enabled",
     NULL, MECHANISM_PRESENT, ""},
    {"windows_config/netsh_tcp_global_win10_2022.txt", MECHANISM_SETTINGS, "Pacing Profile=off", NULL,
     MECHANISM_PRESENT, ""},
    {"windows_config/netsh_tcp_heuristics.txt", MECHANISM_SETTINGS, "Window Scaling heuristics=disabled",
     NULL, MECHANISM_PRESENT, ""},
    {"windows_config/nti_default_utf16.reg", MECHANISM_SETTINGS, "NetworkThrottlingIndex=10", NULL,
     MECHANISM_CANT_TELL, "needn't be in force"},
    {"windows_config/nti_default_utf16.reg", MECHANISM_SETTINGS, "SystemResponsiveness=0x15", NULL,
     MECHANISM_CANT_TELL, "SystemResponsiveness is 20"},
    {"windows_config/reg_query_nti.txt", MECHANISM_SETTINGS, "NetworkThrottlingIndex=0xffffffff", NULL,
     MECHANISM_PRESENT, "4294967295"},
};

/* Units of a counter in the languages of this table, which is no log. */
static const char COUNTER_NAMES[] = "perfmon/counter_names_by_locale.tsv";

static char *sample_path(const char *file)
{
    g_autofree char *name = g_strdup_printf("reference/evidence/%s", file);

    return data_shared_path(name);
}

static struct evidence *load(const char *file)
{
    g_autofree char *path = sample_path(file);
    g_autoptr(GError) error = NULL;
    struct evidence *e = path ? evidence_load(path, NULL, &error) : NULL;

    g_assert_no_error(error);
    return e;
}

static void test_shapes(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(SHAPES); i++) {
        const struct shape *s = &SHAPES[i];
        struct evidence *e = load(s->file);
        guint kinds[4] = {0};

        if (!e)
            return;
        g_test_message("%s", s->file);
        for (guint r = 0; r < evidence_count(e); r++)
            kinds[evidence_run(e, r)->kind]++;
        g_assert_cmpstr(e->format->name, ==, s->format);
        for (guint k = 0; k < G_N_ELEMENTS(kinds); k++)
            g_assert_cmpuint(kinds[k], ==, s->kinds[k]);
        g_assert_cmpint(e->complete, ==, s->complete);
        evidence_free(e);
    }
}

static void test_figures(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(FIGURES); i++) {
        const struct figure *f = &FIGURES[i];
        struct evidence *e = load(f->file);
        const struct evidence_figure *found;

        if (!e)
            return;
        g_test_message("%s: run %u, %s", f->file, f->run, f->name);
        found = evidence_figure(e, evidence_run(e, f->run), f->name);
        g_assert_cmpint(found == NULL, ==, isnan(f->value));
        if (found) {
            g_assert_cmpfloat_with_epsilon(found->value, f->value, fabs(f->value) * f->tolerance + 1e-300);
            g_assert_cmpint(found->line, >, 0);
        }
        evidence_free(e);
    }
}

static void check_facts(const struct fact *facts, guint count, bool of_file)
{
    for (guint i = 0; i < count; i++) {
        struct evidence *e = load(facts[i].file);

        if (!e)
            return;
        g_test_message("%s: %s", facts[i].file, facts[i].name);
        g_assert_cmpstr(evidence_fact(e, of_file ? NULL : evidence_run(e, facts[i].run), facts[i].name), ==,
                        facts[i].value);
        evidence_free(e);
    }
}

/* Figures know their line, in XML too. */
static void test_lines(void)
{
    struct evidence *e = load("json/diskspd_2.2_results.xml");

    if (!e)
        return;
    g_assert_cmpint(evidence_figure(e, evidence_run(e, 0), "bytes")->line, ==, 132);
    g_assert_cmpint(evidence_figure(e, evidence_run(e, 0), "seconds")->line, ==, 73);
    evidence_free(e);
}

static void test_facts(void)
{
    check_facts(FACTS, G_N_ELEMENTS(FACTS), false);
    check_facts(FILE_FACTS, G_N_ELEMENTS(FILE_FACTS), true);
}

static void test_notes(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(NOTES); i++) {
        struct evidence *e = load(NOTES[i].file);
        guint found = 0;

        if (!e)
            return;
        g_test_message("%s: %s", NOTES[i].file, NOTES[i].text);
        for (guint n = 0; n < e->notes->len; n++) {
            const struct evidence_note *note = &g_array_index(e->notes, struct evidence_note, n);

            found += note->line == NOTES[i].line && strstr(note->text, NOTES[i].text);
        }
        g_assert_cmpuint(found, ==, 1);
        evidence_free(e);
    }
}

static void test_refusals(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(REFUSALS); i++) {
        g_autofree char *path = sample_path(REFUSALS[i].file);
        g_autoptr(GError) error = NULL;

        if (!path)
            return;
        g_assert_null(evidence_load(path, NULL, &error));
        g_assert_nonnull(strstr(error->message, REFUSALS[i].why));
        g_assert_nonnull(strstr(error->message, REFUSALS[i].file));
    }
}

static void test_findings(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(FINDINGS); i++) {
        const struct finding *f = &FINDINGS[i];
        g_autofree char *path = sample_path(f->file);
        g_autoptr(GError) error = NULL;
        struct mechanism_listing *l = path ? mechanism_load(path, f->kind, &error) : NULL;
        struct mechanism_finding found;

        g_assert_no_error(error);
        if (!l)
            return;
        found = mechanism_find(l, f->what, f->process);
        g_test_message("%s: %s: %s", f->file, f->what, found.text);
        g_assert_cmpint(found.answer, ==, f->answer);
        g_assert_nonnull(strstr(found.text, f->text));
        g_free(found.text);
        mechanism_free(l);
    }
}

/* A log of each language's counter has bytes a second as its unit. */
static void test_counter_names(void)
{
    g_autofree char *path = sample_path(COUNTER_NAMES), *text = NULL;
    g_auto(GStrv) lines = NULL;
    guint languages = 0;

    if (!path)
        return;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines + 1; *line && **line; line++) {
        g_autofree char *name = g_strchomp(g_strdup(strchr(*line, '\t') + 2)), *log = NULL;
        struct text_input *in;
        struct evidence *e;

        log =
            g_strdup_printf("\"(PDH-CSV 4.0)\",\"\\\\HOST\\%s\"\n\"07/23/2026 06:04:43.000\",\"5\"\n", name);
        in = text_input_new("log.csv", log, strlen(log), NULL);
        e = evidence_read(in, NULL, NULL);
        g_test_message("%s", name);
        g_assert_cmpstr(evidence_figure(e, evidence_run(e, 1), name)->unit, ==, "B/s");
        evidence_free(e);
        text_input_free(in);
        languages++;
    }
    g_assert_cmpuint(languages, ==, 14);
}

static bool is_tested(const char *file)
{
    for (guint i = 0; i < G_N_ELEMENTS(FINDINGS); i++) {
        if (strcmp(FINDINGS[i].file, file) == 0)
            return true;
    }
    for (guint i = 0; i < G_N_ELEMENTS(REFUSALS); i++) {
        if (strcmp(REFUSALS[i].file, file) == 0)
            return true;
    }
    for (guint i = 0; i < G_N_ELEMENTS(SHAPES); i++) {
        if (strcmp(SHAPES[i].file, file) == 0)
            return true;
    }
    return strcmp(file, COUNTER_NAMES) == 0;
}

/* Nothing of the index is left out above. */
static void test_index(void)
{
    g_autofree char *path = sample_path("INDEX.tsv"), *text = NULL;
    g_auto(GStrv) lines = NULL;
    guint rows = 0;

    if (!path)
        return;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines + 1; *line && **line; line++) {
        g_autofree char *file = g_strndup(*line, strcspn(*line, "\t"));

        g_test_message("%s", file);
        g_assert_true(is_tested(file));
        rows++;
    }
    g_test_message("%u rows", rows);
    g_assert_cmpuint(rows, >=, 70);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/evidence-index/shapes", test_shapes);
    g_test_add_func("/evidence-index/figures", test_figures);
    g_test_add_func("/evidence-index/lines", test_lines);
    g_test_add_func("/evidence-index/facts", test_facts);
    g_test_add_func("/evidence-index/notes", test_notes);
    g_test_add_func("/evidence-index/refusals", test_refusals);
    g_test_add_func("/evidence-index/findings", test_findings);
    g_test_add_func("/evidence-index/counter-names", test_counter_names);
    g_test_add_func("/evidence-index/index", test_index);
    return g_test_run();
}
