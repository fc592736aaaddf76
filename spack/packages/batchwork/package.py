# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Spack 1.0 keeps the build systems in its builtin package repository, older ones in spack.package.
try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.rocm import ROCmPackage
except ImportError:
    from spack.package import CMakePackage, CudaPackage, ROCmPackage

from spack.package import *


class Batchwork(CMakePackage, CudaPackage, ROCmPackage):
    """Small-matrix algorithms over large batches, fused into one kernel, on any Kokkos backend:
    a C++20 library."""

    homepage = "https://github.com/batchwork/batchwork"
    url = "https://github.com/batchwork/batchwork/releases/download/v0.2.0/batchwork-0.2.0.tar.gz"
    git = "https://github.com/batchwork/batchwork.git"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    # +cuda and +rocm come from the base classes. Hosts always work, by threads with +openmp.
    variant("openmp", default=True, description="Run on the threads of a host by OpenMP")
    variant("sycl", default=False, description="Run on GPUs by SYCL")
    variant("tests", default=False, description="Build the tests")
    variant("benchmarks", default=False, description="Build and install the benchmarks")
    variant("examples", default=False, description="Build and install the examples")
    variant("programs", default=False, description="Build batchwork-info and batchwork-tune")
    variant("docs", default=False, description="Build and install the documentation site")
    variant(
        "vendor",
        default=True,
        description="Use code for NVIDIA GPUs, AMD GPUs and SIMD instructions, not portable code",
    )

    variant("shared", default=False, description="Build a shared library")
    variant(
        "kernels",
        default="dense,solvers",
        values=("none", "dense", "solvers", "all"),
        multi=True,
        description="Kernels of the library; none: files that call a verb compile its kernels",
    )

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("kokkos@4.5:")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+sycl", when="+sycl")
    # Otherwise a program and the library would each have a Kokkos of their own.
    depends_on("kokkos+shared", when="+shared")

    # Also for `spack install --test=root`. Without LAPACK a few tests skip some comparisons.
    depends_on("googletest", type="test")
    depends_on("lapack", type="test")
    depends_on("googletest", when="+tests")
    depends_on("lapack", when="+tests")
    depends_on("benchmark", when="+benchmarks")
    depends_on("eigen", when="+benchmarks")
    depends_on("lapack", when="+benchmarks")
    # With it, CMake also builds the example distributed if it finds MPI and a parallel HDF5.
    depends_on("cli11", when="+examples")
    depends_on("cli11", when="+programs")
    with default_args(type="build", when="+docs"):
        depends_on("doxygen")
        depends_on("py-sphinx")
        depends_on("py-myst-parser")
        depends_on("py-breathe")
        depends_on("py-sphinx-copybutton")
        depends_on("py-furo")

    # Kokkos must be built for the same GPU architecture as Batchwork.
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
    conflicts("+cuda", when="cuda_arch=none", msg="name the GPU: cuda_arch=90, for instance")
    conflicts("+rocm", when="amdgpu_target=none", msg="name the GPU: amdgpu_target=gfx90a")
    for one, other in (("+cuda", "+rocm"), ("+cuda", "+sycl"), ("+rocm", "+sycl")):
        conflicts(one, when=other, msg="one kind of device at a time")
    # Clang compiles for NVIDIA GPUs without nvcc. Other compilers need the wrapper of nvcc from
    # Kokkos. The wrapper is first, so it is the default.
    requires("^kokkos+wrapper", "%cxx=clang", policy="any_of", when="+cuda")

    # For `spack test run batchwork`, which users run after the installation.
    test_requires_compiler = True
    consumer = join_path("unit_tests", "install_test", "consumer")

    @property
    def device_compiler(self):
        """The compiler for a device, or None if it is the compiler of the spec."""
        if self.spec.satisfies("+rocm"):
            return self.spec["hip"].hipcc
        if self.spec.satisfies("+cuda ^kokkos+wrapper"):
            return self["kokkos"].kokkos_cxx
        return None

    def cmake_args(self):
        args = [
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define("Batchwork_ENABLE_TESTS", self.run_tests or "+tests" in self.spec),
            self.define_from_variant("Batchwork_ENABLE_BENCHMARKS", "benchmarks"),
            self.define_from_variant("Batchwork_ENABLE_EXAMPLES", "examples"),
            self.define_from_variant("Batchwork_ENABLE_PROGRAMS", "programs"),
            self.define_from_variant("Batchwork_ENABLE_VENDOR", "vendor"),
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define(
                "Batchwork_KERNELS",
                [k for k in self.spec.variants["kernels"].value if k != "none"],
            ),
        ]
        if self.device_compiler:
            args.append(self.define("CMAKE_CXX_COMPILER", self.device_compiler))
        return args

    @run_after("install")
    def install_programs(self):
        if self.spec.satisfies("+benchmarks") or self.spec.satisfies("+examples"):
            with working_dir(self.build_directory):
                self.spec["cmake"].command("--install", ".", "--component", "extras")

    @run_after("install", when="+docs")
    def install_site(self):
        with working_dir(self.stage.source_path):
            site = join_path(self.prefix.share, "doc", "batchwork")
            which("sphinx-build", required=True)("-q", "-b", "html", "docs", site)

    @run_after("install")
    def keep_consumer(self):
        cache_extra_test_sources(self, self.consumer)

    def test_consumer(self):
        """build a small program against the installed package, and run it"""
        source = self.test_suite.current_test_cache_dir.join(self.consumer)
        cmake = self.spec["cmake"].command
        cmake(
            *("-S", source, "-B", "build"),
            self.define("Batchwork_ROOT", self.prefix),
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define("CMAKE_CXX_COMPILER", self.device_compiler or self.compiler.cxx),
        )
        cmake("--build", "build", "--target", "consumer")
        said = Executable(join_path("build", "consumer"))(output=str.split, error=str.split)
        check_outputs(r"^Batchwork \d+\.\d+\.\d+ ", said)
