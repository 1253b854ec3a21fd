import Redis from 'ioredis'
import { createClient } from 'redis'

// expect: SHOP005
const tickets = new Redis('redis://tickets:6379/2')
// expect: SHOP005
const seats = createClient({ url: 'redis://seats/4' })
// ok: SHOP005
const halls = createClient({ url: 'redis://halls/0' })

class Counter {
  constructor(client) {
    this.client = client
  }

  run(...words) {
    return this.client.call(...words)
  }
}

const counter = new Counter(tickets)

export async function throughTheWrapper(seat, guest) {
  // expect: SHOP001
  await counter.run('KEYS', 'seat:*')
  // expect: SHOP002 error
  await counter.run('FLUSHALL')
  // expect: SHOP003
  await counter.run('SETNX', `seat:${seat}`, guest)
  // expect: SHOP004
  await counter.run('SET', `seat:${seat}`, guest)
  // ok: SHOP004
  await counter.run('SET', `seat:${seat}`, guest, 'EX', 60)
}

export async function asWords(seat, guest) {
  // expect: SHOP001
  await tickets.call('KEYS', 'seat:*')
  // expect: SHOP002 error
  await seats.sendCommand(['FLUSHALL'])
  // expect: SHOP003
  await seats.sendCommand(['SETNX', `seat:${seat}`, guest])
  // expect: SHOP004
  await tickets.call('set', `seat:${seat}`, guest)
  // ok: SHOP004
  await seats.sendCommand(['SET', `seat:${seat}`, guest, 'EX', '60'])
}

export async function inScripts(seat, guest) {
  // expect: SHOP001
  await tickets.eval("return redis.call('KEYS', ARGV[1])", 0, 'seat:*')
  // expect: SHOP002 error
  await seats.eval("redis.call('FLUSHALL')")
  // expect: SHOP003
  await tickets.eval("return redis.call('SETNX', KEYS[1], ARGV[1])", 1, `seat:${seat}`, guest)
  // expect: SHOP004
  await tickets.eval("redis.call('SET', KEYS[1], ARGV[1])", 1, `seat:${seat}`, guest)
  // expect: SHOP001
  tickets.defineCommand('every', { numberOfKeys: 0, lua: "return redis.call('KEYS', '*')" })
  await tickets.every()
}

export async function writtenOut(seat, guest, options) {
  // expect: SHOP001
  await tickets.keys('seat:*')
  // expect: SHOP002 error
  await tickets.flushall()
  // expect: SHOP003
  await tickets.setnx(`seat:${seat}`, guest)
  // expect: SHOP004
  await tickets.set(`seat:${seat}`, guest)
  // expect: SHOP007
  await tickets.set(`seat:${seat}`, guest, 'EX', 60, 'NX')
  // ok: SHOP004
  await tickets.set(`seat:${seat}`, guest, ...options)
  // expect: SHOP004
  await tickets.pipeline().set(`seat:${seat}`, guest).exec()
  // expect: SHOP001
  await seats.keys('seat:*')
  // expect: SHOP002 error
  await seats.flushAll()
  // expect: SHOP003
  await seats.setNX(`seat:${seat}`, guest)
  // expect: SHOP004
  await seats.set(`seat:${seat}`, guest)
  // ok: SHOP004
  await seats.set(`seat:${seat}`, guest, { EX: 60 })
  // ok: SHOP004
  await seats.set(`seat:${seat}`, guest, { expiration: { type: 'EX', value: 60 } })
  // ok: SHOP004
  await seats.set(`seat:${seat}`, guest, options)
  // expect: SHOP008
  await seats.xAdd('sold', '*', { seat })
  // ok: SHOP008
  await seats.xAdd('sold', '*', { seat }, { TRIM: { strategy: 'MAXLEN', threshold: 1000 } })
}
