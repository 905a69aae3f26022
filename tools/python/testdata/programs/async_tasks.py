import asyncio


async def worker(name, queue, done):
    while True:
        item = await queue.get()
        await asyncio.sleep(0.001 * item)
        done.append((name, item))
        queue.task_done()


async def fail():
    await asyncio.sleep(0)
    raise ValueError('no')


async def numbers(n):
    for i in range(n):
        yield i
        await asyncio.sleep(0)


async def main():
    queue, done = asyncio.Queue(), []
    for item in (5, 1, 3, 2):
        queue.put_nowait(item)
    tasks = [asyncio.create_task(worker('w', queue, done))]
    await queue.join()
    for task in tasks:
        task.cancel()
    print(await asyncio.gather(*tasks, return_exceptions=True), sorted(done))
    print(await asyncio.gather(asyncio.sleep(0, 'a'), fail(), return_exceptions=True), [n async for n in numbers(4) if n % 2])
    try:
        await asyncio.wait_for(asyncio.Event().wait(), 0.01)
    except asyncio.TimeoutError as error:
        print('timeout', repr(error))
    try:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())
            group.create_task(asyncio.sleep(9))
    except* ValueError as error:
        print(error.exceptions)
    lock = asyncio.Lock()
    async with lock, asyncio.timeout(1):
        print(lock.locked())


asyncio.run(main())
