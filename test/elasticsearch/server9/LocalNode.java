import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** One Elasticsearch node on 127.0.0.1. Arguments: the folder with its modules, the folder for its data, the port. */
public final class LocalNode {
  public static void main(String[] arguments) throws Exception {
    Path home = Path.of(arguments[0]);
    Settings settings = Settings.builder()
        .put("path.home", home)
        .put("path.data", arguments[1])
        .put("http.port", arguments[2])
        .put("transport.port", "0")
        .put("network.host", "127.0.0.1")
        .put("node.name", "local")
        .put("discovery.type", "single-node")
        .put("cluster.routing.allocation.disk.threshold_enabled", false)
        .build();
    LogConfigurator.configureWithoutConfig(settings);
    Environment environment = new Environment(settings, home.resolve("config"));
    PluginsLoader modules = PluginsLoader.createPluginsLoader(
        PluginsLoader.loadModulesBundles(environment.modulesDir(), true), Set.of(), Map.of(), false);
    Node node = new Node(environment, modules);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> {
      try {
        node.close();
      } catch (Exception error) {
        error.printStackTrace();
      }
    }));
    node.start();
    new CountDownLatch(1).await();
  }
}
