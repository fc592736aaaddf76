# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Run by ctest: tests perf_tests/same_code.sh on saved output of cuobjdump for kernels (CUDA 13.0,
# sm_90) and of objdump for host code, so neither a device nor a compiler is needed.

include("${CMAKE_CURRENT_LIST_DIR}/expect_said.cmake")

cmake_minimum_required(VERSION 3.22)

foreach(program IN ITEMS c++filt cat sha256sum xargs)
  find_program(path_${program} ${program})
  if(NOT path_${program})
    message("SKIPPED: ${program} was not found")
    return()
  endif()
endforeach()

file(MAKE_DIRECTORY "${WORK_DIR}")
file(WRITE "${WORK_DIR}/cuobjdump" "#!/bin/sh\nexec '${path_cat}' \"$2$1\"\n")
file(WRITE "${WORK_DIR}/objdump" "#!/bin/sh\nfor last; do :; done\nexec '${path_cat}' \"$last\"\n")
file(CHMOD "${WORK_DIR}/cuobjdump" "${WORK_DIR}/objdump" PERMISSIONS OWNER_READ OWNER_WRITE
                                                                     OWNER_EXECUTE
)

# Compares two files, and checks the exit status and the lines that must be printed.
function(says before after status)
  execute_process(
    COMMAND
      ${CMAKE_COMMAND} -E env "CUOBJDUMP=${WORK_DIR}/cuobjdump" "PATH=${WORK_DIR}:$ENV{PATH}"
      "${BASH}" "${SOURCE_DIR}/perf_tests/same_code.sh" -s "s/Renamed/Twice/g"
      "${WORK_DIR}/${before}" "${WORK_DIR}/${after}"
    RESULT_VARIABLE code
    OUTPUT_VARIABLE said
    ERROR_VARIABLE said
  )
  expect_said("${before}, ${after}" "${said}" "${code}" "${status}" ${ARGN})
endfunction()

# ---- CUDA ----------------------------------------------------------------------------------------

# A file of CUDA kernels: kernel(NAME INSTRUCTION ENCODING [CONSTANTS]) adds a kernel.
macro(kernel name instruction encoding)
  string(
    APPEND sass "\t\tFunction : ${name}\n\t.headerflags\t@\"EF_CUDA_SM90\"\n"
    "        /*0000*/                   ${instruction} ;          /* ${encoding} */\n"
    "                                                             /* 0x000fe20000000000 */\n"
    "\t\t..........\n\n"
  )
  if(${ARGC} GREATER 3)
    string(APPEND elf ".nv.constant2.${name}\n${ARGV3}\n\n.section .rela\n0x00000042\n")
  endif()
endmacro()
macro(cuda_file name)
  file(WRITE "${WORK_DIR}/${name}" ".nv_fatbin")
  file(WRITE "${WORK_DIR}/${name}-sass"
       "Fatbin elf code:\narch = sm_90\n\n\tcode for sm_90\n${sass}"
  )
  file(WRITE "${WORK_DIR}/${name}-elf" "Fatbin elf code:\narch = sm_90\n${elf}")
  set(sass "")
  set(elf "")
endmacro()

# Batchwork::Run<(anonymous namespace)::Twice>, which nvcc mangles differently in every file, and
# Batchwork::Run<int>.
set(twice "_ZN9Batchwork3RunIN37_GLOBAL__N__a8d4cd5f_5_a_cpp_e0a601d75TwiceEEEvT_")
set(twice_elsewhere "_ZN9Batchwork3RunIN41_GLOBAL__N__ba4014df_9_const_cpp_e0a601d75TwiceEEEvT_")
set(twice_renamed "_ZN9Batchwork3RunIN37_GLOBAL__N__a8d4cd5f_5_a_cpp_e0a601d77RenamedEEEvT_")
set(run_int "_ZN9Batchwork3RunIiEEvT_")
set(run_char "_ZN9Batchwork3RunIcEEvT_")
set(add "DADD R2, R2, R4")
set(add_code "0x0000000402027229")
set(variable "LDC.64 R4, c[0x4]")

kernel(${twice} "${add}" ${add_code} "0x00000200 0x00000230")
kernel(${run_int} "${variable}[0x8]" 0x01000200ff047b82)
kernel(_Z5otherv "${add}" ${add_code})
cuda_file(cuda)

# The same: another file and order, another place of a variable, a kernel of another library.
kernel(${run_int} "${variable}[0x10]" 0x01000400ff047b82)
kernel(${twice_elsewhere} "${add}" ${add_code} "0x00000200 0x00000230")
kernel(_Z5otherv "DMUL R2, R2, R4" ${add_code})
cuda_file(cuda_same)
says(cuda cuda_same 0 "same     [sm_90] void Batchwork::Run<(anonymous namespace)::Twice>"
     "2 the same, 0 different, 0 only before, 0 only after"
)

# A kernel renamed by -s, and a renamed kernel that is recognised by its code.
kernel(${twice_renamed} "${add}" ${add_code} "0x00000200 0x00000230")
kernel(${run_char} "${variable}[0x8]" 0x01000200ff047b82)
cuda_file(cuda_renamed)
says(cuda cuda_renamed 0 "Run<int>(int) (after: [sm_90] void Batchwork::Run<char>(char))"
     "2 the same, 0 different"
)

# Different: an instruction, its scheduling, its table of constants.
kernel(${twice} "DADD R2, R2, R6" 0x0000000602027229 "0x00000200 0x00000230")
kernel(${run_int} "${variable}[0x8]" 0x01000200ff047b82)
cuda_file(cuda_instruction)
says(cuda cuda_instruction 1 "differs  [sm_90] void Batchwork::Run<(anonymous namespace)::Twice>"
     "1 the same, 1 different"
)
kernel(${twice} "${add}" ${add_code} "0x00000200 0x00000230")
kernel(${run_int} "${variable}[0x8]" 0x01000200ff047b82)
string(REPLACE "0x000fe20000000000" "0x000fe40000000000" sass "${sass}")
cuda_file(cuda_scheduling)
says(cuda cuda_scheduling 1 "0 the same, 2 different")
kernel(${twice} "${add}" ${add_code} "0x00000200 0x00000240")
kernel(${run_int} "${variable}[0x8]" 0x01000200ff047b82)
cuda_file(cuda_constants)
says(cuda cuda_constants 1 "1 the same, 1 different")

# A kernel that is in one file only.
kernel(${twice} "${add}" ${add_code} "0x00000200 0x00000230")
cuda_file(cuda_one)
says(cuda cuda_one 1 "before   [sm_90] void Batchwork::Run<int>(int)"
     "1 the same, 0 different, 1 only before, 0 only after"
)
says(cuda_one cuda 1 "after    [sm_90] void Batchwork::Run<int>(int)"
     "1 the same, 0 different, 0 only before, 1 only after"
)

# It is an error if no functions can be compared.
kernel(_Z5otherv "${add}" ${add_code})
cuda_file(cuda_nothing)
says(cuda_nothing cuda_nothing 2 "no function that matches Batchwork")
says(cuda missing 2 "cannot read")

# ---- hosts ---------------------------------------------------------------------------------------

# A file with a function at an address, which contains a jump, a call and a number that is read.
function(host_file name address jump call number instruction)
  file(WRITE "${WORK_DIR}/${name}"
       "
${name}:     file format elf64-x86-64

Disassembly of section .text:

0000000000${address}00 <_ZN9Batchwork4sumsEPdi>:
  ${address}00:\ttest   %esi,%esi
  ${address}02:\tjle    ${address}${jump} <_ZN9Batchwork4sumsEPdi+0x${jump}>
  ${address}04:\tmovsd  0x${number}1(%rip),%xmm3        # 2${number}8 <_IO_stdin_used+0x${number}>
  ${address}0c:\tcall   ${call}60 <sqrt@plt>
  ${address}14:\t${instruction} %xmm0,%xmm2
\t\t\t${address}15: R_X86_64_PC32\t.LC${address}-0x4
  ${address}18:\tret
${ARGN}")
endfunction()
host_file(host 11 10 10 a8 addsd)
host_file(host_elsewhere 23 10 20 b8 addsd "  2319:\tnopl   0x0(%rax)\n")
says(host host_elsewhere 0 "same     Batchwork::sums(double*, int)" "1 the same, 0 different")
host_file(host_instruction 11 10 10 a8 subsd)
says(host host_instruction 1 "differs  Batchwork::sums(double*, int)")
host_file(host_jump 11 14 10 a8 addsd)
says(host host_jump 1 "differs  Batchwork::sums(double*, int)")
