// A matrix product by ruy, counted and proven.
//
// Built with FLOATS for one of fp32, else int8 with a multiplier a column. Called with rows, depth
// and columns. Weights are ruy's left side, packed before and kept in its cache; the activations
// are packed in what is counted, as in every call of a network. One thread, the path and the
// tuning of a Cortex-A53.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "ruy/ruy.h"

namespace {

constexpr int kEvictingBytes = 4 << 20;
constexpr int kLowest = -128, kHighest = 127, kOutputZero = 3;

#ifdef FLOATS
using Element = float;
using Sum = float;
#else
using Element = std::int8_t;
using Sum = std::int32_t;
#endif

struct Product {
    int rows, depth, columns;
    std::vector<Element> a, b, c;  // rows x depth, columns x depth, rows x columns
    std::vector<Sum> biases;
    std::vector<std::int32_t> multipliers;
    std::vector<int> exponents;
    ruy::Context context;
};

int Drawn(int low, int high) { return low + std::rand() % (high - low + 1); }

void Draw(Product* p) {
    for (Element& each : p->a) each = static_cast<Element>(Drawn(kLowest, kHighest));
    for (Element& each : p->b) each = static_cast<Element>(Drawn(-kHighest, kHighest));
    for (Sum& each : p->biases) each = static_cast<Sum>(Drawn(-1000, 1000));
    for (std::int32_t& each : p->multipliers) each = (1 << 30) + Drawn(0, (1 << 30) - 1);
    for (int& each : p->exponents) each = -Drawn(8, 14);
}

#ifdef FLOATS
bool Same(const Product&, int, Sum sum, Sum magnitude, Element found) {
    return std::fabs(sum - found) <= magnitude * 1e-5f;
}

void Rule(const Product&, ruy::MulParams<Sum, Element>*) {}

void Zero(ruy::Matrix<Element>*) {}
#else
// One rounding, as ruy documents its multiplication.
bool Same(const Product& p, int column, Sum sum, Sum, Element found) {
    const int shift = 31 - p.exponents[column];
    const std::int64_t half = std::int64_t{1} << (shift - 1);
    const std::int64_t value = ((sum * std::int64_t{p.multipliers[column]} + half) >> shift) + kOutputZero;
    return found == (value < kLowest ? kLowest : value > kHighest ? kHighest : value);
}

void Rule(const Product& p, ruy::MulParams<Sum, Element>* rule) {
    rule->set_multiplier_fixedpoint_perchannel(p.multipliers.data());
    rule->set_multiplier_exponent_perchannel(p.exponents.data());
}

void Zero(ruy::Matrix<Element>* c) { c->set_zero_point(kOutputZero); }
#endif

int Differing(const Product& p) {
    int wrong = 0;
    for (int m = 0; m < p.rows; m++) {
        for (int n = 0; n < p.columns; n++) {
            Sum sum = p.biases[n], magnitude = 1;
            for (int k = 0; k < p.depth; k++) {
                const Sum one = static_cast<Sum>(p.a[m * p.depth + k]) * p.b[n * p.depth + k];
                sum += one;
                magnitude += one < 0 ? -one : one;
            }
            wrong += !Same(p, n, sum, magnitude, p.c[m * p.columns + n]);
        }
    }
    return wrong;
}

// Caches hold nothing of the product, as when a network reaches a layer.
void Evict() {
    std::vector<std::int8_t> all(kEvictingBytes);
    volatile std::int8_t* each = all.data();
    for (int i = 0; i < kEvictingBytes; i++) each[i] = each[i] + 1;
}

void Multiply(Product* p) {
    ruy::Matrix<Element> weights, image, outputs;
    ruy::MakeSimpleLayout(p->columns, p->depth, ruy::Order::kRowMajor, weights.mutable_layout());
    ruy::MakeSimpleLayout(p->depth, p->rows, ruy::Order::kColMajor, image.mutable_layout());
    ruy::MakeSimpleLayout(p->columns, p->rows, ruy::Order::kColMajor, outputs.mutable_layout());
    weights.set_data(p->b.data());
    weights.set_cache_policy(ruy::CachePolicy::kAlwaysCache);
    image.set_data(p->a.data());
    outputs.set_data(p->c.data());
    Zero(&outputs);
    ruy::MulParams<Sum, Element> rule;
    rule.set_bias(p->biases.data());
    Rule(*p, &rule);
    ruy::Mul(weights, image, rule, &p->context, &outputs);
}

}  // namespace

extern "C" {

// What is counted, up to gemm_end.
__attribute__((noinline)) void gemm_run(void* product) { Multiply(static_cast<Product*>(product)); }

__attribute__((noinline)) void gemm_end(void) { __asm__ volatile(""); }
}

int main(int count, char** words) {
    if (count != 4) return EXIT_FAILURE;
    Product p;
    p.rows = std::atoi(words[1]);
    p.depth = std::atoi(words[2]);
    p.columns = std::atoi(words[3]);
    p.a.resize(p.rows * p.depth);
    p.b.resize(p.columns * p.depth);
    p.c.resize(p.rows * p.columns);
    p.biases.resize(p.columns);
    p.multipliers.resize(p.columns);
    p.exponents.resize(p.columns);
    p.context.set_max_num_threads(1);
    p.context.set_runtime_enabled_paths(ruy::Path::kNeon);
    p.context.set_explicit_tuning(ruy::Tuning::kA55ish);
    Draw(&p);
    Multiply(&p);
    Evict();
    gemm_run(&p);
    gemm_end();
    std::printf("%d\n", Differing(p));
    return EXIT_SUCCESS;
}
