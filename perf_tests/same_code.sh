#!/usr/bin/env bash
# SPDX-FileCopyrightText: Copyright the Batchwork contributors
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Compares the machine code of the functions in two executables or objects: instructions and their
# scheduling for CUDA kernels, instructions for host functions.
#
#   same_code.sh [-q] [-p PATTERN] [-s SED] [-d FOLDER] BEFORE AFTER
#
#   -q           print only functions that are not the same, and the counts
#   -p PATTERN   compare functions whose demangled names match this extended regular expression
#                (default: Batchwork)
#   -s SED       apply this script of sed -E to all demangled names, for instance
#                's/OldName/NewName/g'
#   -d FOLDER    keep the code in FOLDER/before and FOLDER/after, one file for each function
#
# Numbers that compilers add to names (anonymous namespaces, lambdas, clones) are ignored. If a
# function is in one file only, it is compared by its code with the renamed functions of the other
# file. The values of device variables and of the constants that host code reads are not compared.
#
# Exit status: 0 if all are the same, 1 if not, 2 if nothing was compared. Needs c++filt, sha256sum,
# and objdump or cuobjdump with nvdisasm (CUDA toolkit; or the path of cuobjdump in $CUOBJDUMP).
set -euo pipefail
export LC_ALL=C

usage() {
  sed -n 's/^# \{0,1\}//; 5,22p' "$0" >&2
  exit 2
}
quiet=0
pattern=Batchwork
script=
folder=
while getopts qp:s:d: option; do
  case $option in
    q) quiet=1 ;;
    p) pattern=$OPTARG ;;
    s) script=$OPTARG ;;
    d) folder=$OPTARG ;;
    *) usage ;;
  esac
done
shift $((OPTIND - 1))
[ $# = 2 ] || usage

say() { echo "same_code.sh: $1" >&2; }
need() {
  command -v "$1" >/dev/null && return
  say "$1 was not found"
  exit 2
}
cuobjdump=${CUOBJDUMP:-cuobjdump}
need c++filt
need sha256sum

if [ -z "$folder" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi

mkdir -p "$folder"

# Demangles the names in a text, and removes the numbers that depend on the rest of the file.
plain_names() {
  c++filt | sed -E -e 's/_GLOBAL__N__[A-Za-z0-9_]*/(anonymous namespace)/g' \
    -e 's/#[0-9]+\}/#N}/g; s/'\''lambda[0-9]*'\''/{lambda#N}/g' \
    -e 's/\.(constprop|isra|part|cold|lto_priv|_omp_fn|llvm)\.[0-9]+/.\1.N/g' \
    -e 's/\$__internal_[0-9]+_/$__internal_N_/g' -e "$script"
}

# Prints CUDA code: "= name" before the instructions of a function, "+ name" before its table of
# constants.
cuda_code() {
  "$cuobjdump" -sass "$1" | plain_names | awk '
    /^[ \t]*code for sm_/ { arch = $NF; next }
    /^[ \t]*Function : / { sub(/^[ \t]*Function : /, ""); print "= [" arch "] " $0; next }
    # The address of a device variable depends on the other variables.
    /c\[0x4\]/ { gsub(/c\[0x4\]\[[^]]*\]/, "c[0x4]"); sub(/\/\* 0x[0-9a-f]* \*\/ *$/, "") }
    /^[ \t]*\/\*/ { gsub(/[ \t]+/, " "); print }'
  # Separate the section from the name for c++filt.
  "$cuobjdump" -elf "$1" | sed 's/^\.nv\.constant2\./.nv.constant2 /' | plain_names | awk '
    /^arch = / { arch = $NF }
    /^\.nv\.constant2 / { sub(/^\.nv\.constant2 /, ""); print "+ [" arch "] " $0; within = 1; next }
    !/^0x/ { within = 0 }
    within'
}

# Prints host code in the same form, without the addresses of constants and of other functions, and
# without the padding after a function.
host_code() {
  objdump -d -r --no-show-raw-insn "$1" | plain_names | awk '
    /^[0-9a-f]+ <.*>:$/ {
      sub(/^[0-9a-f]+ </, "")
      sub(/>:$/, "")
      name = $0
      print "= " name
      padding = ""
      next
    }
    /^[ \t]*[0-9a-f]+:[ \t]/ {
      relocation = /^[ \t]*[0-9a-f]+: R_/
      sub(/^[ \t]*[0-9a-f]+:[ \t]*/, "")
      if (relocation) {
        gsub(/\.LC[0-9]+/, ".LC")
        if (/\.(rodata|data|bss|text|LC)/) sub(/[+-]0x[0-9a-f]+$/, "")
      } else {
        gsub(/-?0x[0-9a-f]+\(%rip\)/, "(%rip)")
        sub(/# [0-9a-f]+ <.*[+]0x[0-9a-f]+>$/, "#")
        sub(/# [0-9a-f]+ </, "# <")
        $0 = without_address($0)
      }
      gsub(/[ \t]+/, " ")
      sub(/ $/, "")
      if (/^(nop|cs nop|data16|xchg %ax,%ax)/) { padding = padding $0 "\n"; next }
      printf "%s", padding
      padding = ""
      print
    }
    # Replaces the target of a jump or call by its place in this function, or by the name of another
    # function.
    function without_address(text,   at) {
      if (match(text, /[ \t][0-9a-f]+ </))
        text = substr(text, 1, RSTART) substr(text, RSTART + RLENGTH - 1)
      at = index(text, "<" name "+0x")
      if (at > 0) text = substr(text, 1, at) substr(text, at + length(name) + 1)
      return text
    }'
}

# Prints "name<TAB>hash" for every function in a file that matches, and writes their code to a
# folder.
functions_of() {
  local file=$1 to=$2 code=host_code
  if [ ! -r "$file" ]; then
    say "cannot read $file"
    exit 2
  fi
  if grep -aq '\.nv_fatbin' "$file"; then
    code=cuda_code
    need "$cuobjdump"
  else
    need objdump
  fi
  rm -rf "$to"
  mkdir -p "$to"
  $code "$file" >"$to/all" || { say "$file cannot be disassembled"; exit 2; }
  PATTERN=$pattern awk -v to="$to" '
    /^[=+] / {
      if (current != "") close(current)
      name = substr($0, 3)
      current = ""
      if (/^=/ && name ~ ENVIRON["PATTERN"]) {
        current = to "/" sprintf("%06d", ++count)
        files[name] = current
        print current "\t" name > (to "/names")
      } else if (/^[+]/ && name in files) current = files[name]
      next
    }
    current != "" { print >> current }' "$to/all"
  rm "$to/all"
  [ -s "$to/names" ] || { say "$file has no function that matches $pattern"; exit 2; }
  while IFS=$'\t' read -r current name; do
    touch "$current" # a function can consist of padding only
    printf '%s\t%s\n' "$name" "$current"
  done <"$to/names" >"$to/list"
  cut -f 2 "$to/list" | tr '\n' '\0' | xargs -0 sha256sum | cut -d ' ' -f 1 |
    paste "$to/list" - | cut -f 1,3 | sort
}

functions_of "$1" "$folder/before" >"$folder/before.hashes"
functions_of "$2" "$folder/after" >"$folder/after.hashes"
status=0
awk -F '\t' -v quiet=$quiet -v summary="$folder/summary" '
  # Functions with the same name are compared together.
  FNR == 1 { ++file }
  file == 1 { before[$1] = before[$1] " " $2 }
  file == 2 { after[$1] = after[$1] " " $2 }
  function say(word, name) {
    if (!quiet || word != "same") print word substr("        ", 1, 9 - length(word)) name
  }
  END {
    for (name in before) {
      if (!(name in after)) lost[name] = 1
      else if (before[name] == after[name]) { ++same; say("same", name) }
      else { ++differ; say("differs", name) }
    }
    for (name in after) if (!(name in before)) by_code[after[name]] = by_code[after[name]] name "\n"
    for (name in lost) {
      code = before[name]
      end = index(by_code[code], "\n")
      if (end == 0) { ++only_before; say("before", name); continue }
      other = substr(by_code[code], 1, end - 1)
      by_code[code] = substr(by_code[code], end + 1)
      ++same
      say("same", name " (after: " other ")")
    }
    for (code in by_code) {
      count = split(by_code[code], names, "\n") - 1
      for (k = 1; k <= count; ++k) { ++only_after; say("after", names[k]) }
    }
    printf "%d the same, %d different, %d only before, %d only after\n",
      same, differ, only_before, only_after > summary
    exit differ + only_before + only_after > 0
  }' "$folder/before.hashes" "$folder/after.hashes" >"$folder/result" || status=1
sort "$folder/result"
cat "$folder/summary"
exit $status
