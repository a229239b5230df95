/* Quantiles of √n · dip of n uniform values, by simulation: 1,000,000 sets of runs for each row (100,000 from 500 runs on), so the third
 * digit is good. tests/model/test_dip.c makes rows anew and compares; its option --table prints them all. */
#ifndef REPORT_DIP_TABLE_H
#define REPORT_DIP_TABLE_H

#include <stddef.h>

enum { DIP_ROWS = 16, DIP_COLUMNS = 9 };

extern const size_t DIP_RUNS[DIP_ROWS];
extern const double DIP_LEVELS[DIP_COLUMNS]; /* rising, below 1 */
extern const double DIP_QUANTILES[DIP_ROWS][DIP_COLUMNS];

#endif
