/* Numbers as programs of many countries write them.
 *
 * Digits may be grouped by "," "." "'" a blank, a no-break space or a narrow no-break space, always by threes; the decimal
 * mark is "." or ",". What a lone "1,234" means depends on the field: each function says what it takes for granted, and
 * number_free() reports such a number as ambiguous instead of guessing. Every function wants the whole text to be
 * the number (blanks around it aside) and refuses what isn't finite. */
#ifndef REPORT_NUMBER_TEXT_H
#define REPORT_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct number {
    double value;
    double half_step; /* half a unit of the last digit written: what rounding may hide */
};

enum number_status { NUMBER_OK, NUMBER_AMBIGUOUS, NUMBER_NONE };

/* A whole number, grouped or not: "257.555.063", "6 621 000", "42". */
bool number_whole(const char *text, size_t length, struct number *n);
/* The decimal mark is known, '.' or ','; other marks group. An exponent may follow. */
bool number_marked(const char *text, size_t length, char mark, struct number *n);
/* Exactly `decimals` digits stand behind the last mark: "30,799.068", "14737,419", "378,857" with 3. */
bool number_decimals(const char *text, size_t length, int decimals, struct number *n);
/* Nothing is known. */
enum number_status number_free(const char *text, size_t length, struct number *n);

/* Length in bytes of the number at the start of `text`: digits with single grouping or decimal marks between them, blanks
 * as marks only before groups of exactly three digits. 0 when it doesn't start with a digit. */
size_t number_length(const char *text);

#endif
