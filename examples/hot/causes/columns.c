/* columns.c - down the columns of a matrix that lies in memory by rows: each access is in another line, and
 * each page has one of them.
 *
 *     cc -O1 -g -o columns columns.c && tacho hot -- ./columns */
#include <stdlib.h>

enum {
    ROWS = 4000,
    COLUMNS = 1040
};

static int matrix[ROWS][COLUMNS];

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 300;
    long sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            matrix[i][j] = i ^ j;
    for (int r = 0; r < rounds; r++)
        for (int j = 0; j < COLUMNS; j++)
            for (int i = 0; i < ROWS; i++)
                sum += matrix[i][j]; /* here */
    return sum == 1;
}
