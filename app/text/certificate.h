#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hardness/niceness/niceness.h"
#include "study/figure/heat_map.h"
#include "study/report/table.h"

/// Certificates of niceness as text, tables, JSON and figures.
namespace hardhead::app {

/// The certificate of one attention layer of a checkpoint.
struct LayerCertificate {
  attention::Index layer = 0;   ///< its number
  attention::Index offset = 0;  ///< of two tokens, where there is a rotary embedding
  hardness::Certificate certificate{};
};

/// A value or margin of a condition in a table, "inf" where it is infinite.
std::string shown(double value);

/// One row a condition with the subject that is worst off, or with `all` a row for each head and pair, the
/// constants at which they flip and the formulas; then what is met, what fails, and the constants it would
/// pass with.
std::string certificate_text(const std::string& source, const hardness::Certificate& certificate, bool all);
/// Everything that is in it.
nlohmann::ordered_json certificate_json(const std::string& source, const hardness::Certificate& certificate);

/// One row a layer, and offset if there are several: how many conditions are met, the worst one, its margin.
std::string layers_text(const std::vector<LayerCertificate>& layers);
/// Every condition of every layer, a row each.
report::Table conditions_table(const std::vector<LayerCertificate>& layers);
/// Layers by heads: the smallest margin of the conditions that are about a head.
report::HeatMap margins_map(const std::string& source, const std::vector<LayerCertificate>& layers);

}  // namespace hardhead::app
