import Redis from 'ioredis';

// expect: SHOP007
// expect: SHOP006
// expect: SHOP008
const stock = new Redis({ host: 'redis', db: 2 });

// expect: SHOP007
// expect: SHOP006
// ok: SHOP008
const first = new Redis({ host: 'redis', db: 0 });

export class Stock {
  constructor(private readonly redis: Redis = stock, private readonly other: Redis = first) {}

  private async run(command: string, ...args: string[]): Promise<unknown> {
    return this.redis.call(command, ...args);
  }

  async all(): Promise<unknown> {
    // expect: SHOP001
    return this.run('KEYS', 'shop:stock:*');
  }

  async put(article: string, count: number): Promise<void> {
    // expect: SHOP004
    await this.redis.set(`shop:stock:${article}`, count);
    // ok: SHOP004
    await this.redis.set(`shop:stock:${article}`, count, 'PX', 1000);
    // expect: SHOP003
    await this.redis.setnx(`shop:lock:${article}`, 1);
    // expect: SHOP002
    await this.redis.flushall();
  }
}
