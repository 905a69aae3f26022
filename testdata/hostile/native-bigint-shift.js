// A shift to the left asks for more bits than there is memory.
// ends: exception RangeError
return 1n << (1n << 62n);
