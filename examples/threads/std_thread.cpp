// Rows dealt out to std::thread. Built by:   c++ -std=c++17 std_thread.cpp -pthread
#include "rows.h"

#include <thread>
#include <vector>

static void normalise(int threads)
{
    std::vector<std::thread> workers;
    for (int part = 0; part < threads; ++part) workers.emplace_back(normalise_part, part, threads);
    for (auto &worker : workers) worker.join();
}

int main()
{
    return compare_splits("std::thread", normalise);
}
