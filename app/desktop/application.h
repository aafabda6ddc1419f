#pragma once
// From the command line to a running window, or to a file without a display.

namespace ridgepoint {

int run_desktop(int argc, char** argv); // exit status: 0 done, 1 the plan cannot run, 2 the input is wrong

void prepare_application(); // names, resources, style: what tests need too, after QApplication
void filter_platform_noise(); // the offscreen platform warns of hints that nobody asked for

} // namespace ridgepoint
