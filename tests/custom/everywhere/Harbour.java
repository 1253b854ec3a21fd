package harbour;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.params.SetParams;

/** Berths of a harbour, kept with three client libraries. */
class Harbour {
    // expect: SHOP005
    private final RedisClient berths = RedisClient.create(RedisURI.create("redis://berths/3"));
    // expect: SHOP005
    private final RedisClient ferries = RedisClient.create(RedisURI.builder().withHost("ferries").withDatabase(4).build());
    // ok: SHOP005
    private final RedisClient cranes = RedisClient.create("redis://cranes");

    static class Sender {
        private final Jedis jedis;

        Sender(Jedis jedis) {
            this.jedis = jedis;
        }

        Object send(Protocol.Command command, String... words) {
            return jedis.sendCommand(command, words);
        }
    }

    void throughTheWrapper(Sender sender, String ship) {
        Sender own = new Sender(new Jedis("berths"));
        // expect: SHOP001
        own.send(Protocol.Command.KEYS, "berth:*");
        // expect: SHOP002 error
        own.send(Protocol.Command.FLUSHALL);
        // expect: SHOP003
        own.send(Protocol.Command.SETNX, "berth:7", ship);
        // expect: SHOP004
        own.send(Protocol.Command.SET, "berth:7", ship);
        // ok: SHOP004
        own.send(Protocol.Command.SET, "berth:7", ship, "EX", "60");
    }

    void asWords(Jedis jedis, String ship) {
        // expect: SHOP001
        jedis.sendCommand(Protocol.Command.KEYS, "berth:*");
        // expect: SHOP002 error
        jedis.sendCommand(Protocol.Command.FLUSHALL);
        // expect: SHOP003
        jedis.sendCommand(Protocol.Command.SETNX, "berth:7", ship);
        // expect: SHOP004
        jedis.sendCommand(Protocol.Command.SET, "berth:7", ship);
    }

    void inScripts(Jedis jedis, StringRedisTemplate template, String ship) {
        // expect: SHOP001
        jedis.eval("return redis.call('KEYS', ARGV[1])", 0, "berth:*");
        // expect: SHOP002 error
        jedis.eval("redis.call('FLUSHALL')");
        // expect: SHOP003
        jedis.eval("return redis.call('SETNX', KEYS[1], ARGV[1])", 1, "berth:7", ship);
        // expect: SHOP004
        jedis.eval("redis.call('SET', KEYS[1], ARGV[1])", 1, "berth:7", ship);
        // expect: SHOP001
        template.execute(new DefaultRedisScript<>("return redis.call('KEYS', '*')"), List.of());
    }

    void writtenOut(Jedis jedis, String ship) {
        // expect: SHOP001
        jedis.keys("berth:*");
        // expect: SHOP002 error
        jedis.flushAll();
        // expect: SHOP003
        jedis.setnx("berth:7", ship);
        // expect: SHOP004
        jedis.set("berth:7", ship);
        // ok: SHOP004
        jedis.set("berth:7", ship, SetParams.setParams().ex(60));
        // expect: SHOP007
        jedis.set("berth:8", ship, SetParams.setParams().nx().px(60));
        // ok: SHOP004
        jedis.set("berth:9", ship);
        jedis.expire("berth:9", 60);
        // expect: SHOP008
        jedis.xadd("arrivals", StreamEntryID.NEW_ENTRY, Map.of("ship", ship));
    }

    void withOthers(StringRedisTemplate template, String ship) {
        RedisCommands<String, String> sync = berths.connect().sync();
        // expect: SHOP001
        sync.keys("berth:*");
        // expect: SHOP002 error
        sync.flushall();
        // expect: SHOP003
        sync.setnx("berth:7", ship);
        // expect: SHOP004
        sync.set("berth:7", ship);
        // ok: SHOP004
        sync.set("berth:7", ship, SetArgs.Builder.ex(60));
        // expect: SHOP001
        template.keys("berth:*");
        // expect: SHOP002 error
        template.getConnectionFactory().getConnection().serverCommands().flushAll();
        // expect: SHOP004
        template.opsForValue().set("berth:7", ship);
        // ok: SHOP004
        template.opsForValue().set("berth:7", ship, Duration.ofMinutes(1));
        // expect: SHOP001
        template.execute((RedisCallback<Object>) connection -> connection.keys("*".getBytes()));
    }
}
