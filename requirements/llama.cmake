# What CMake reads first when llama-cpp-python is compiled. Its build asks for llama.cpp's common library (arguments, chat
# formats, downloads), half of the time that it takes, and then leaves it out of the wheel.
set(LLAMA_BUILD_COMMON OFF)
