// SPDX-FileCopyrightText: Copyright the Batchwork contributors
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Checkpoint.hpp"

#include <cstddef>
#include <filesystem>
#include <utility>

namespace Distributed {

Handle::Handle(hid_t id, herr_t (*close)(hid_t), std::string const& failure)
    : id_(id), close_(close) {
  if (id < 0) throw InputError(failure);
}
Handle::Handle(Handle&& o) noexcept
    : id_(std::exchange(o.id_, H5I_INVALID_HID)), close_(o.close_) {}
Handle& Handle::operator=(Handle&& o) noexcept {
  std::swap(id_, o.id_);
  std::swap(close_, o.close_);
  return *this;
}

namespace {

void expect(herr_t status, std::string const& failure) {
  if (status < 0) throw std::runtime_error(failure);
}

Handle space_of(std::vector<hsize_t> const& extents) {
  return {H5Screate_simple(int(extents.size()), extents.data(), nullptr), H5Sclose,
          "HDF5 makes no data space"};
}

/// The rows first, first + 1, ... of a data set.
Handle rows_of(hid_t set, std::int64_t first, std::int64_t count) {
  Handle space(H5Dget_space(set), H5Sclose, "HDF5 gives no data space");
  hsize_t extents[2] = {0, 0};
  H5Sget_simple_extent_dims(space, extents, nullptr);
  hsize_t const begin[2] = {hsize_t(first), 0}, block[2] = {hsize_t(count), extents[1]};
  expect(H5Sselect_hyperslab(space, H5S_SELECT_SET, begin, nullptr, block, nullptr),
         "HDF5 selects no rows");
  return space;
}

Handle record_type() {
  Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Record)), H5Tclose, "HDF5 makes no type");
  std::size_t const outcome = offsetof(Record, outcome);
  H5Tinsert(type, "state", offsetof(Record, state), H5T_NATIVE_INT);
  H5Tinsert(type, "rank", offsetof(Record, rank), H5T_NATIVE_INT);
  H5Tinsert(type, "seconds", offsetof(Record, seconds), H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "best", outcome + offsetof(Outcome, best), H5T_NATIVE_DOUBLE);
  H5Tinsert(type, "best_item", outcome + offsetof(Outcome, best_item), H5T_NATIVE_INT64);
  H5Tinsert(type, "work", outcome + offsetof(Outcome, work), H5T_NATIVE_INT64);
  H5Tinsert(type, "failed", outcome + offsetof(Outcome, failed), H5T_NATIVE_INT64);
  H5Tinsert(type, "checksum", outcome + offsetof(Outcome, checksum), H5T_NATIVE_UINT64);
  return type;
}

Handle text_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose, "HDF5 makes no type");
  H5Tset_size(type, length);
  return type;
}

/// For all ranks together.
Handle access() {
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "HDF5 makes no property list");
  expect(H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL), "this HDF5 is not parallel");
  return list;
}

Handle add_set(hid_t file, char const* name, hid_t type, std::vector<hsize_t> const& extents,
               H5D_fill_time_t fill) {
  Handle list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "HDF5 makes no property list");
  H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(list, fill);
  return {H5Dcreate2(file, name, type, space_of(extents), H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose,
          std::string("HDF5 makes no data set ") + name};
}

/// Chunk length and problem, in one line.
std::string description(std::string const& problem, Chunks const& chunks) {
  return problem + ", in chunks of " + std::to_string(chunks.length);
}

/// Closed again before the first chunk, so that nothing but numbers remains to be written.
void create(std::string const& path, bool with_results, std::string const& problem,
            Chunks const& chunks, std::int64_t numbers) {
  Handle const file(H5Fcreate(path.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, access()), H5Fclose,
                    path + ": cannot be created");
  Handle const type = text_type(problem.size());
  Handle const attribute(H5Acreate2(file, "problem", type, space_of({1}), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose, path + ": cannot be written");
  expect(H5Awrite(attribute, type, problem.data()), path + ": cannot be written");
  // Filled with zeros: Record::untouched.
  add_set(file, "chunks", record_type(), {hsize_t(chunks.size())}, H5D_FILL_TIME_ALLOC);
  if (with_results)
    add_set(file, "results", H5T_NATIVE_DOUBLE, {hsize_t(chunks.items), hsize_t(numbers)},
            H5D_FILL_TIME_NEVER);
}

std::string problem_of(hid_t file, std::string const& path) {
  std::string const failure = path + ": is no checkpoint of this program";
  Handle const attribute(H5Aopen(file, "problem", H5P_DEFAULT), H5Aclose, failure);
  Handle const type(H5Aget_type(attribute), H5Tclose, failure);
  std::string text(H5Tget_size(type), ' ');
  if (H5Aread(attribute, type, text.data()) < 0) throw InputError(failure);
  return text;
}

}  // namespace

Checkpoint::Checkpoint(std::string const& path, bool restart, bool with_results,
                       std::string const& problem, Chunks const& chunks, std::int64_t numbers)
    : path_(path), records_(std::size_t(chunks.size())), numbers_(numbers) {
  if (path.empty()) return;
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // our own messages
  std::string const ours = description(problem, chunks);
  int exists = std::filesystem::exists(path);
  MPI_Bcast(&exists, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (exists != 0 && !restart) throw InputError(path + ": exists; --restart goes on with it");
  if (!restart) create(path, with_results, ours, chunks, numbers);
  file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR, access()), H5Fclose,
                 path + ": cannot be opened as a file of HDF5");
  std::string const theirs = problem_of(file_, path);
  if (theirs != ours)
    throw InputError(path + ": is a checkpoint of another problem: " + theirs +
                     "; asked for: " + ours);
  chunks_ = Handle(H5Dopen2(file_, "chunks", H5P_DEFAULT), H5Dclose, path + ": has no chunks");
  if (H5Lexists(file_, "results", H5P_DEFAULT) > 0)
    results_ = Handle(H5Dopen2(file_, "results", H5P_DEFAULT), H5Dclose, path + ": has no results");
  if (H5Dread(chunks_, record_type(), H5S_ALL, H5S_ALL, H5P_DEFAULT, records_.data()) < 0)
    throw InputError(path + ": its chunks cannot be read");
}

void Checkpoint::write(Chunk const& chunk, Record const& record) const {
  if (path_.empty()) return;
  expect(H5Dwrite(chunks_, record_type(), space_of({1}), rows_of(chunks_, chunk.index, 1),
                  H5P_DEFAULT, &record),
         path_ + ": cannot be written");
}

void Checkpoint::write_results(Chunk const& chunk, double const* numbers) const {
  expect(H5Dwrite(results_, H5T_NATIVE_DOUBLE, space_of({hsize_t(chunk.count), hsize_t(numbers_)}),
                  rows_of(results_, chunk.first, chunk.count), H5P_DEFAULT, numbers),
         path_ + ": cannot be written");
}

bool Checkpoint::is_intact(Chunk const& chunk, Record const& record) const {
  if (!has_results()) return true;
  std::vector<double> numbers(std::size_t(chunk.count * numbers_));
  if (H5Dread(results_, H5T_NATIVE_DOUBLE, space_of({hsize_t(chunk.count), hsize_t(numbers_)}),
              rows_of(results_, chunk.first, chunk.count), H5P_DEFAULT, numbers.data()) < 0)
    return false;
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    sum += checksum_of(numbers[k], chunk.first * numbers_ + std::int64_t(k));
  return sum == record.outcome.checksum;
}

}  // namespace Distributed
