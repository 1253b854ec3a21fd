const Redis = require('ioredis');
const { createClient } = require('redis');

// expect: SHOP006
// expect: SHOP007
const carts = new Redis({ host: 'redis' });
// expect: SHOP007
// expect: SHOP006
// expect: SHOP008
const views = createClient({ url: 'redis://redis', database: 3 });

const CLEAR = `
  local call = redis.call
  for _, key in ipairs(call('KEYS', ARGV[1])) do
    call('DEL', key)
  end
`;

async function send(...words) {
  return carts.call(...words);
}

async function list() {
  // expect: SHOP001
  const all = await carts.keys('shop:cart:*');
  // expect: SHOP001
  const seen = await send('KEYS', 'shop:view:*');
  // expect: SHOP001
  await carts.eval(CLEAR, 0, 'shop:cart:*');
  // expect: SHOP001
  await views.sendCommand(['KEYS', 'shop:view:*']);
  // ok: SHOP001
  // traced: SCAN
  const [, some] = await carts.scan(0, 'MATCH', 'shop:cart:*');
  return [...all, ...seen, ...some];
}

async function put(user, cart, options) {
  const key = `shop:cart:${user}`;
  // expect: SHOP004
  await carts.set(key, JSON.stringify(cart));
  // ok: SHOP004
  await carts.set(key, JSON.stringify(cart), 'EX', 3600);
  // expect: SHOP004
  await views.set(key, JSON.stringify(cart), { NX: true });
  // ok: SHOP004
  await views.set(key, JSON.stringify(cart), { EX: 3600 });
  // ok: SHOP004
  await views.set(key, JSON.stringify(cart), { expiration: { type: 'EX', value: 3600 } });
  // ok: SHOP004
  await views.set(key, JSON.stringify(cart), options);
  // expect: SHOP003
  await carts.setnx(`shop:lock:${user}`, '1');
  // expect: SHOP003
  await views.setNX(`shop:lock:${user}`, '1');
  // expect: SHOP005
  await carts.del(`cart:${user}`);
  // expect: SHOP010
  await carts.xadd('shop:changes', '*', 'user', user);
  // ok: SHOP010
  await carts.xadd('shop:changes', 'MAXLEN', '~', 10000, '*', 'user', user);
}

async function clear() {
  // expect: SHOP002 error
  await carts.flushall();
  // expect: SHOP002
  await views.flushDb();
  // expect: SHOP002
  await views.eval("return redis.call('FLUSHALL')", { keys: [] });
}

module.exports = { list, put, clear };
