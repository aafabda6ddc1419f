#include "app/desktop/application.h"

int main(int argc, char** argv) { return ridgepoint::run_desktop(argc, argv); }
