// The single header behind std::span, in C++20. Built by:   c++ -std=c++20 norms.cpp
#define NG_STATIC
#define NG_IMPLEMENTATION
#include "ng_kernels_single.h"

#include <array>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <vector>

namespace {

constexpr std::size_t width = 48;
using Parameters = std::span<const float, width>;

// Normalises the rows of x into y, which may be x.
void layernorm(std::span<const float> x, Parameters gamma, Parameters beta, std::span<float> y)
{
    if (x.size() % width != 0 || y.size() != x.size())
        throw std::invalid_argument("layernorm: x and y must hold the same number of whole rows");
    ng_layernorm_fwd_f32_h48(x.size() / width, x.data(), gamma.data(), beta.data(), 1e-5f, y.data());
}

} // namespace

int main()
{
    std::vector<float> rows(3 * width);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<float>(i % 5);
    std::array<float, width> gamma, beta;
    gamma.fill(1.0f);
    beta.fill(0.25f);

    layernorm(rows, gamma, beta, rows);
    std::printf("%.6f %.6f\n", static_cast<double>(rows.front()), static_cast<double>(rows.back()));
    try {
        layernorm(std::span(rows).first(width + 1), gamma, beta, rows);
    } catch (const std::invalid_argument &error) {
        std::printf("%s\n", error.what());
    }
    return ng_selftest();
}
