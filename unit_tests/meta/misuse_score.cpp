// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Misuse of Kalman::score that must not compile: see misuse.cpp.
#include <Batchwork.hpp>

#if defined(BATCHWORK_PUT_RIGHT)
#define WRONG_OR_RIGHT(wrong, right) right
#else
#define WRONG_OR_RIGHT(wrong, right) wrong
#endif

namespace {

namespace B = Batchwork;
using Numbers = Kokkos::View<double*>;
using Pairs = Kokkos::View<double* [2]>;
using Series = Kokkos::View<double**>;

struct LocalLevel {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return B::Kalman::matrices(1.0, exp(theta(0)), 1.0, exp(theta(1)));
  }
};
struct Stationary {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return B::Kalman::matrices(0.5, theta(0), 1.0, theta(1), 0.0, theta(0));
  }
};
template <int Rows>
struct WithNoise {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return B::Kalman::matrices(B::identity<double, 2>(),
                               B::as_diagonal(B::generate<Rows>([&](int) { return theta(0); })),
                               B::generate<2>([](int) { return 1.0; }), theta(1));
  }
};
struct Number {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return theta(0);
  }
};
auto result(Numbers const& ll) { return B::Kalman::results().log_likelihood(ll); }

// says: steps, model, theta, start, z, results
void parameters_before_the_model(Pairs const& theta, Series const& z, Numbers const& ll) {
  B::Kalman::score(9, LocalLevel{}, WRONG_OR_RIGHT(B::Kalman::diffuse(), theta),
                   WRONG_OR_RIGHT(theta, B::Kalman::diffuse()), z, result(ll));
}

// says: give a functor with a const template call operator of one argument
void no_functor(Pairs const& theta, Series const& z, Numbers const& ll) {
  B::Kalman::score(9, WRONG_OR_RIGHT(1.0, LocalLevel{}), theta, B::Kalman::diffuse(), z,
                   result(ll));
}

// says: the model does not return Kalman::matrices(f, q, h, r)
void a_number_as_model(Pairs const& theta, Series const& z, Numbers const& ll) {
  B::Kalman::score(9, WRONG_OR_RIGHT(Number, LocalLevel){}, theta, B::Kalman::diffuse(), z,
                   result(ll));
}

// says: return both N x N for N states, or as_diagonal(v) of a vector of N as Q
void noise_of_three_states(Pairs const& theta, Series const& z, Numbers const& ll) {
  B::Kalman::score(9, WithNoise<WRONG_OR_RIGHT(3, 2)>{}, theta, B::Kalman::diffuse(), z,
                   result(ll));
}

// says: the H of the model is not M x N
void two_entries_of_one(Pairs const& theta, Kokkos::View<double** [2]> const& z2, Series const& z,
                        Numbers const& ll) {
  (void)z2, (void)z;
  B::Kalman::score(9, Stationary{}, theta, B::Kalman::predicted(), WRONG_OR_RIGHT(z2, z),
                   result(ll));
}

// says: return matrices(f, q, h, r, x, p) with x of N and p of N x N
void no_start_in_the_model(Pairs const& theta, Series const& z, Numbers const& ll) {
  B::Kalman::score(9, WRONG_OR_RIGHT(LocalLevel, Stationary){}, theta, B::Kalman::predicted(), z,
                   result(ll));
}

// says: the model returns a start and the call gives another one
void two_starts(Pairs const& theta, Series const& z, Numbers const& ll) {
  B::Kalman::score(9, WRONG_OR_RIGHT(Stationary, LocalLevel){}, theta, B::Kalman::diffuse(), z,
                   result(ll));
}

// says: score takes a View (item, p)
void score_of_one(Pairs const& theta, Series const& z, Numbers const& one, Pairs const& two) {
  (void)one, (void)two;
  B::Kalman::score(9, LocalLevel{}, theta, B::Kalman::diffuse(), z,
                   B::Kalman::results().score(WRONG_OR_RIGHT(one, two)));
}

// says: information takes a View (item, p, p)
void information_of_a_vector(Pairs const& theta, Series const& z, Pairs const& vector,
                             Kokkos::View<double* [2][2]> const& matrix) {
  (void)vector, (void)matrix;
  B::Kalman::score(9, LocalLevel{}, theta, B::Kalman::diffuse(), z,
                   B::Kalman::results().information(WRONG_OR_RIGHT(vector, matrix)));
}

// says: another type of numbers than theta
void float_series(Pairs const& theta, Series const& z, Kokkos::View<float**> const& zf,
                  Numbers const& ll) {
  (void)z, (void)zf;
  B::Kalman::score(9, LocalLevel{}, theta, B::Kalman::diffuse(), WRONG_OR_RIGHT(zf, z), result(ll));
}

// says: has an output that only Kalman::filter computes
void means_of_a_score(Pairs const& theta, Series const& z, Series const& mean, Pairs const& g) {
  (void)mean;
  B::Kalman::score(9, LocalLevel{}, theta, B::Kalman::diffuse(), z,
                   B::Kalman::results() WRONG_OR_RIGHT(.filtered_mean(mean), ).score(g));
}

// says: take mean and covariance from the functor of Kalman::score
void filter_from_a_start_of_the_model(Numbers const& m, Series const& z) {
  auto const model = B::Kalman::model(B::in(m), B::in(m), B::in(m), B::in(m));
  B::Kalman::filter(9, model, WRONG_OR_RIGHT(B::Kalman::predicted(), B::Kalman::diffuse()), z,
                    B::Kalman::results());
}

// says: lanes do not share an item
void lanes_of_a_score(Pairs const& theta, Series const& z, Numbers const& ll) {
  B::Kalman::score(B::launch(B::lanes<WRONG_OR_RIGHT(4, 1)>), 9, LocalLevel{}, theta,
                   B::Kalman::diffuse(), z, result(ll));
}

// says: backward_pass computes no information matrix
void information_backwards(Pairs const& theta, Series const& z, Pairs const& g,
                           Kokkos::View<double* [2][2]> const& matrix,
                           Kokkos::View<double** [1][3]> const& gains) {
  (void)matrix;
  B::Kalman::score(9, LocalLevel{}, theta, B::Kalman::diffuse(), z,
                   B::Kalman::results().score(g) WRONG_OR_RIGHT(.information(matrix), ),
                   B::Kalman::backward_pass(gains));
}

// says: the gains of backward_pass take a View (item, time, M, N + 2)
void gains_of_two_states(Pairs const& theta, Series const& z, Pairs const& g,
                         Kokkos::View<double** [1][4]> const& four,
                         Kokkos::View<double** [1][3]> const& three) {
  (void)four, (void)three;
  B::Kalman::score(9, LocalLevel{}, theta, B::Kalman::diffuse(), z, B::Kalman::results().score(g),
                   B::Kalman::backward_pass(WRONG_OR_RIGHT(four, three)));
}

struct Damped {
  template <class Theta>
  KOKKOS_FUNCTION auto operator()(Theta const& theta) const {
    return B::Kalman::matrices(theta(0), 1.0, 1.0, theta(1));
  }
};
// says: give backward_pass(gains, states) with a View (item, time, N, N / 2 + 2)
void no_states(Pairs const& theta, Series const& z, Numbers const& x,
               Kokkos::View<double* [1][1]> const& p, Pairs const& g,
               Kokkos::View<double** [1][3]> const& gains,
               Kokkos::View<double** [1][2]> const& states) {
  (void)states;
  B::Kalman::score(
      9, Damped{}, theta, B::Kalman::start(x, p), z, B::Kalman::results().score(g),
      WRONG_OR_RIGHT(B::Kalman::backward_pass(gains), B::Kalman::backward_pass(gains, states)));
}

// says: takes a diffuse start only if F and H do not depend on theta
void diffuse_backwards(Pairs const& theta, Series const& z, Pairs const& g,
                       Kokkos::View<double** [1][3]> const& gains,
                       Kokkos::View<double** [1][2]> const& states) {
  B::Kalman::score(9, WRONG_OR_RIGHT(Damped, LocalLevel){}, theta, B::Kalman::diffuse(), z,
                   B::Kalman::results().score(g), B::Kalman::backward_pass(gains, states));
}

}  // namespace
