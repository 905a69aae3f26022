# Waits for years.
# ends: time limit
import asyncio
await asyncio.sleep(10**8)
