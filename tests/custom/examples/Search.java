package shop;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;

public class Search {
    public String find(String word) {
        // expect: SHOP007
        RedisClient client = RedisClient.create("redis://redis");
        try {
            // expect: SHOP007
            RedisCommands<String, String> commands = client.connect().sync();
            // expect: SHOP011
            commands.save();
            // ok: SHOP001
            // traced: GET
            return commands.get("shop:search:" + word);
        } finally {
            // ok: SHOP011
            client.shutdown();
        }
    }
}
