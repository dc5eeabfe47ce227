#include "study/report/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files/read_file.h"

namespace hardhead::report {
namespace {

TEST(ReportJson, BeginsWithTheKindOfTheDocument) {
  EXPECT_EQ(report_json("best-shots", {{"goal", "learnt"}}).dump(),
            R"({"schema":"hardhead.best-shots/1","goal":"learnt"})");
}

TEST(ReportJson, EveryKindIsInTheDocumentationOfFormats) {
  const std::string formats = read_file(HARDHEAD_SOURCE_DIR "/docs/formats.md");
  for (const std::string_view name : document_kinds)
    EXPECT_THAT(formats, testing::HasSubstr("`hardhead." + std::string(name) + "/1`"));
}

}  // namespace
}  // namespace hardhead::report
