// What a program that multiplies by ruy includes, in plain loops. OFF_BY is added to every output.
#ifndef TESTS_FAKES_RUY_RUY_H
#define TESTS_FAKES_RUY_RUY_H

#include <cstdint>
#include <type_traits>

#ifndef OFF_BY
#define OFF_BY 0
#endif

namespace ruy {

enum class Path { kNeon };
enum class Tuning { kA55ish };
enum class Order { kRowMajor, kColMajor };
enum class CachePolicy { kAlwaysCache };

struct Context {
    void set_max_num_threads(int) {}
    void set_runtime_enabled_paths(Path) {}
    void set_explicit_tuning(Tuning) {}
};

struct Layout {
    int rows, columns;
    Order order;
    int at(int row, int column) const {
        return order == Order::kRowMajor ? row * columns + column : column * rows + row;
    }
};

inline void MakeSimpleLayout(int rows, int columns, Order order, Layout *layout) {
    *layout = {rows, columns, order};
}

template <typename T> struct Matrix {
    void set_data(T *to) { data = to; }
    void set_cache_policy(CachePolicy) {}
    void set_zero_point(T to) { zero = to; }
    Layout *mutable_layout() { return &layout; }
    T *data = nullptr;
    T zero = 0;
    Layout layout;
};

template <typename Sum, typename T> struct MulParams {
    void set_bias(const Sum *to) { bias = to; }
    void set_multiplier_fixedpoint_perchannel(const std::int32_t *to) { multipliers = to; }
    void set_multiplier_exponent_perchannel(const int *to) { exponents = to; }
    std::int8_t scaled(Sum sum, int row, int zero) const {
        const int shift = 31 - exponents[row];
        const std::int64_t product = static_cast<std::int64_t>(sum) * multipliers[row];
        const std::int64_t value = ((product >> (shift - 1)) + 1 >> 1) + zero + OFF_BY;
        return static_cast<std::int8_t>(value < -128 ? -128 : value > 127 ? 127 : value);
    }
    const Sum *bias;
    const std::int32_t *multipliers;
    const int *exponents;
};

template <typename Sum, typename T>
void Mul(const Matrix<T> &left, const Matrix<T> &right, const MulParams<Sum, T> &rule, Context *,
         Matrix<T> *to) {
    for (int row = 0; row < left.layout.rows; row++) {
        for (int column = 0; column < right.layout.columns; column++) {
            Sum sum = rule.bias[row];
            for (int k = 0; k < left.layout.columns; k++) {
                sum += static_cast<Sum>(left.data[left.layout.at(row, k)]) *
                       right.data[right.layout.at(k, column)];
            }
            T &out = to->data[to->layout.at(row, column)];
            if constexpr (std::is_floating_point_v<T>) {
                out = sum + OFF_BY;
            } else {
                out = rule.scaled(sum, row, to->zero);
            }
        }
    }
}

} // namespace ruy

#endif
