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
    a header-only C++20 library."""

    homepage = "https://github.com/batchwork/batchwork"
    git = "https://github.com/batchwork/batchwork.git"

    license("Apache-2.0 WITH LLVM-exception")

    version("main", branch="main")

    variant("tests", default=False, description="Build the tests")
    variant("benchmarks", default=False, description="Build the benchmarks")
    variant(
        "examples",
        default=False,
        description="Build the examples; that of the Nile only where fast-cpp-csv-parser is found",
    )
    variant(
        "vendor",
        default=True,
        description="Use the vendor's own lane code on devices, not the portable path",
    )

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("kokkos@4.5:")

    depends_on("googletest", when="+tests", type=("build", "link"))
    depends_on("benchmark", when="+benchmarks", type=("build", "link"))
    depends_on("cli11", when="+examples", type="build")
    for variant_name in ("tests", "benchmarks"):
        depends_on("eigen", when=f"+{variant_name}", type="build")
        depends_on("lapack", when=f"+{variant_name}", type=("build", "link"))

    # Kokkos' devices are Batchwork's: the architecture goes down to it.
    depends_on("kokkos+cuda+wrapper", when="+cuda")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos+cuda cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")
    for arch in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos+rocm amdgpu_target={arch}", when=f"+rocm amdgpu_target={arch}")
    conflicts("+cuda", when="cuda_arch=none", msg="name the GPU: cuda_arch=90, for instance")
    conflicts("+rocm", when="amdgpu_target=none", msg="name the GPU: amdgpu_target=gfx90a")
    conflicts("+cuda", when="+rocm", msg="one kind of device at a time")

    def cmake_args(self):
        args = [
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            self.define_from_variant("Batchwork_ENABLE_TESTS", "tests"),
            self.define_from_variant("Batchwork_ENABLE_BENCHMARKS", "benchmarks"),
            self.define_from_variant("Batchwork_ENABLE_EXAMPLES", "examples"),
            self.define_from_variant("Batchwork_ENABLE_VENDOR", "vendor"),
        ]
        if self.spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        if self.spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc))
        return args
