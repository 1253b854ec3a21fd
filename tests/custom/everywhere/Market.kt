package market

import java.time.Duration
import org.springframework.data.redis.core.StringRedisTemplate
import redis.clients.jedis.JedisPooled
import redis.clients.jedis.Protocol
import redis.clients.jedis.params.SetParams

class Market(private val template: StringRedisTemplate) {
    private val stalls = JedisPooled("stalls", 6379)

    private fun send(command: Protocol.Command, vararg words: String) = stalls.sendCommand(command, *words)

    fun clear(stall: String, owner: String) {
        // expect: SHOP001
        send(Protocol.Command.KEYS, "stall:*")
        // expect: SHOP002 error
        send(Protocol.Command.FLUSHALL)
        // expect: SHOP003
        send(Protocol.Command.SETNX, "stall:$stall", owner)
        // expect: SHOP004
        send(Protocol.Command.SET, "stall:$stall", owner)
        // expect: SHOP001
        stalls.keys("stall:$owner:*")
        // expect: SHOP002 error
        stalls.flushAll()
        // expect: SHOP003
        stalls.setnx("stall:$stall", owner)
        // expect: SHOP004
        stalls.set("stall:$stall", owner)
        // ok: SHOP004
        stalls.set("stall:$stall", owner, SetParams().ex(60))
        // expect: SHOP001
        stalls.eval("return redis.call('KEYS', ARGV[1])", 0, "stall:*")
        // expect: SHOP004
        template.opsForValue().set("stall:$stall", owner)
        // ok: SHOP004
        template.opsForValue().set("stall:$stall", owner, Duration.ofMinutes(1))
    }
}
