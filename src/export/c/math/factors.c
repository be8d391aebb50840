//@ factor
/* Replaces a square matrix, row by row, by its two triangles, with partial pivoting (Golub, Van Loan: Matrix
   Computations, algorithm 3.4.1). swaps gets for each row the one that it was swapped with. Returns false if the matrix
   is singular or has a value that is not finite. */
bool simulate_factor(double matrix[], uint32_t swaps[], uint32_t size)
{
    bool is_regular = true;
    for (uint32_t column = 0U; is_regular && (column < size); column++) {
        uint32_t pivot = column;
        for (uint32_t row = column + 1U; row < size; row++) {
            if (fabs(matrix[(row * size) + column]) > fabs(matrix[(pivot * size) + column])) {
                pivot = row;
            }
        }
        const double largest = matrix[(pivot * size) + column];
        swaps[column] = pivot;
        is_regular = (fabs(largest) < (double)INFINITY) && (largest != 0.0);
        if (is_regular && (pivot > column)) {
            for (uint32_t at = 0U; at < size; at++) {
                const double upper = matrix[(column * size) + at];
                matrix[(column * size) + at] = matrix[(pivot * size) + at];
                matrix[(pivot * size) + at] = upper;
            }
        }
        for (uint32_t row = column + 1U; is_regular && (row < size); row++) {
            const double factor = matrix[(row * size) + column] / largest;
            matrix[(row * size) + column] = factor;
            if (factor != 0.0) {
                for (uint32_t at = column + 1U; at < size; at++) {
                    matrix[(row * size) + at] = matrix[(row * size) + at] - (factor * matrix[(column * size) + at]);
                }
            }
        }
    }
    for (uint32_t at = 0U; at < (size * size); at++) {
        is_regular = is_regular && (fabs(matrix[at]) < (double)INFINITY);
    }
    return is_regular;
}

//@ solve
/* Replaces the right-hand side b by the solution, with the triangles and swaps of simulate_factor. */
void simulate_solve(const double matrix[], const uint32_t swaps[], uint32_t size, double b[])
{
    for (uint32_t row = 0U; row < size; row++) {
        const double other = b[swaps[row]];
        b[swaps[row]] = b[row];
        b[row] = other;
    }
    for (uint32_t row = 0U; row < size; row++) {
        double sum = b[row];
        for (uint32_t at = 0U; at < row; at++) {
            sum = sum - (matrix[(row * size) + at] * b[at]);
        }
        b[row] = sum;
    }
    for (uint32_t left = size; left > 0U; left--) {
        const uint32_t row = left - 1U;
        double sum = b[row];
        for (uint32_t at = left; at < size; at++) {
            sum = sum - (matrix[(row * size) + at] * b[at]);
        }
        b[row] = sum / matrix[(row * size) + row];
    }
}
