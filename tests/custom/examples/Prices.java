package shop;

import java.time.Duration;
import java.util.Set;
import org.springframework.data.redis.core.StringRedisTemplate;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.params.SetParams;

public class Prices {
    // expect: SHOP007
    // ok: SHOP006
    private final JedisPool pool = new JedisPool("redis", 6379);
    private final StringRedisTemplate template;

    public Prices(StringRedisTemplate template) {
        this.template = template;
    }

    public Set<String> all() {
        try (Jedis jedis = pool.getResource()) {
            // expect: SHOP001
            jedis.eval("return redis.call('KEYS', 'shop:price:*')");
            // expect: SHOP001
            return jedis.keys("shop:price:*");
        }
    }

    public void put(String article, String price, SetParams given) {
        // expect: SHOP004
        template.opsForValue().set("shop:price:" + article, price);
        // ok: SHOP004
        template.opsForValue().set("shop:price:" + article, price, Duration.ofHours(1));
        // expect: SHOP003
        template.opsForValue().setIfAbsent("shop:lock:" + article, "1");
        try (Jedis jedis = pool.getResource()) {
            // expect: SHOP004
            jedis.set("shop:price:" + article, price);
            // expect: SHOP004
            jedis.set("shop:price:" + article, price, SetParams.setParams().nx());
            // ok: SHOP004
            jedis.set("shop:price:" + article, price, SetParams.setParams().nx().ex(60));
            // ok: SHOP004
            jedis.set("shop:price:" + article, price, given);
            // expect: SHOP003
            jedis.setnx("shop:lock:" + article, "1");
            // expect: SHOP005
            jedis.del("price:" + article);
            // expect: SHOP002
            jedis.flushAll();
        }
    }

    public void clear() {
        // expect: SHOP001
        template.delete(template.keys("shop:price:*"));
    }
}
