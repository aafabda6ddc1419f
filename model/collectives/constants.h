#pragma once
namespace ridgepoint { struct CollectiveConstants {}; }
