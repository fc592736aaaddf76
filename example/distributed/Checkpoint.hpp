// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// A file of parallel HDF5 that says which chunks are done, and may hold the results. Its contents
/// have their place in the file from the beginning: ranks write independently, and the file of a
/// killed program can be read.
///
///   attribute `problem`  what is computed, in words
///   `chunks` (chunk)     one Record
///   `results` (item, number)
#ifndef DISTRIBUTED_CHECKPOINT_HPP
#define DISTRIBUTED_CHECKPOINT_HPP

#include <hdf5.h>

#include <string>
#include <vector>

#include "Chunks.hpp"
#include "Outcome.hpp"
#include "Ranks.hpp"

namespace Distributed {

struct Record {
  enum State : int { untouched, taken, done };
  int state = untouched;
  int rank = -1;       ///< which took the chunk
  double seconds = 0;  ///< of the computation
  Outcome outcome;
};

/// An id of HDF5, closed at the end of the scope.
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t), std::string const& failure);
  Handle(Handle&& o) noexcept;
  Handle& operator=(Handle&& o) noexcept;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  herr_t (*close_)(hid_t) = nullptr;
};

class Checkpoint {
 public:
  Checkpoint() = default;
  /// No checkpoint, if the path is empty. Otherwise creates the file, or opens it to go on. On all
  /// ranks together, as the destructor. Throws InputError if the file is not one of this problem.
  Checkpoint(std::string const& path, bool restart, bool with_results, std::string const& problem,
             Chunks const& chunks, std::int64_t numbers);

  bool has_results() const { return results_ >= 0; }
  /// The chunks as they were when the file was opened.
  std::vector<Record> const& records() const { return records_; }
  /// By one rank alone, as the next two.
  void write(Chunk const& chunk, Record const& record) const;
  void write_results(Chunk const& chunk, double const* numbers) const;
  /// Whether the results of a chunk have the checksum of its record. A computer that lost power may
  /// have lost numbers that were written before the record.
  bool is_intact(Chunk const& chunk, Record const& record) const;

 private:
  std::string path_;
  Handle file_, chunks_, results_;
  std::vector<Record> records_;
  std::int64_t numbers_ = 0;
};

}  // namespace Distributed

#endif
