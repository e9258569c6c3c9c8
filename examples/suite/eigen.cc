// eigen.cc - sparse matrix times sparse matrix, and times vector: what BHive has of Eigen; a dense product and a solution besides.
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <cstdio>
#include <random>
#include <vector>

static Eigen::SparseMatrix<double> random_matrix(int n, int per_row, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < per_row; k++)
            entries.emplace_back(i, static_cast<int>(random() % n), (random() % 1000) / 1000.0);
    Eigen::SparseMatrix<double> m(n, n);
    m.setFromTriplets(entries.begin(), entries.end());
    return m;
}

int main()
{
    const int n = 1500;
    Eigen::SparseMatrix<double> a = random_matrix(n, 8, 1), b = random_matrix(n, 8, 2);
    Eigen::SparseMatrix<double, Eigen::RowMajor> rows = a;
    Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, 0, 1), y = x;
    Eigen::SparseMatrix<double> product = a * b;
    for (int i = 0; i < 10; i++) {
        y = a * x + 0.5 * y;
        x = rows * y;
        x /= x.norm();
    }
    Eigen::MatrixXd d = Eigen::MatrixXd::Identity(90, 90) * 50;
    for (int i = 0; i < d.size(); i++)
        d.data()[i] += (i * 7919 % 1000) / 1000.0;
    Eigen::MatrixXd e = d * d.transpose();
    Eigen::MatrixXf f = e.cast<float>() * e.cast<float>();
    Eigen::VectorXd s = e.ldlt().solve(Eigen::VectorXd::Ones(90)) + d.partialPivLu().solve(Eigen::VectorXd::Ones(90));
    std::printf("%g %g %g %g\n", product.sum(), x.sum(), s.sum(), static_cast<double>(f(3, 4)));
}
