#include "report/draw.h"

/* A little more than the line height of the families that we ask for, and than most fallback fonts need. */
double draw_leading(double size)
{
    return 1.36 * size;
}
