#include "sim/cli/reporting.hpp"

#include "sim/base/place.hpp"
#include "sim/cli/other_program.hpp"
#include "sim/cli/shipped_files.hpp"

namespace motley {
namespace {

std::filesystem::path script(const std::string& name) {
  std::filesystem::path file = shipped_file("analysis/" + name);
  if (file.empty()) {
    throw InputError(
        "analysis/" + name +
        " is neither beside the folder of this program nor in ../share/motley: start motley from "
        "its repository, or install it");
  }
  return file;
}

std::string python() {
  // The first on the PATH need not be the one that the distribution's packages serve.
  for (const char* candidate : {"python3", "/usr/bin/python3"}) {
    constexpr const char* probe =
        "import importlib.util as u, sys; "
        "sys.exit(any(u.find_spec(m) is None for m in ('matplotlib', 'pandas')))";
    if (run_and_wait({candidate, "-c", probe}, ChildOutput::hidden) == 0) return candidate;
  }
  throw InputError(
      "no python3 here has matplotlib and pandas; on Debian install python3-matplotlib, "
      "python3-pandas and libjs-chart.js, or start ./motley, which does");
}

}  // namespace

void check_report_possible() {
  script("report.py");
  python();
}

int make_report(const std::filesystem::path& results, const std::vector<std::string>& options,
                ChildOutput output) {
  std::vector<std::string> words = {python(), script("report.py").string(), results.string()};
  words.insert(words.end(), options.begin(), options.end());
  return run_and_wait(words, output);
}

void check_figure_name(const std::string& figure) {
  const bool has_ending =
      figure.ends_with(".png") || figure.ends_with(".svg") || figure.ends_with(".pdf");
  if (!has_ending) throw InputError("--figure: must end in .png, .svg or .pdf, got " + figure);
  const std::filesystem::path folder = std::filesystem::path(figure).parent_path();
  std::error_code error;
  if (!folder.empty() && !std::filesystem::is_directory(folder, error)) {
    throw InputError("--figure: no such folder: " + folder.string());
  }
}

int draw_prediction(const std::filesystem::path& csv, const std::string& figure) {
  return run_and_wait({python(), script("prediction.py").string(), csv.string(), figure},
                      ChildOutput::shown);
}

}  // namespace motley
