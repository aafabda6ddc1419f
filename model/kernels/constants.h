#pragma once
namespace ridgepoint { struct KernelConstants {}; }
