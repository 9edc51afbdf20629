import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.sourcelab.kafka.connect.apiclient.Configuration;
import org.sourcelab.kafka.connect.apiclient.KafkaConnectClient;
import org.sourcelab.kafka.connect.apiclient.request.dto.ConnectorPluginConfigDefinition;
import org.sourcelab.kafka.connect.apiclient.request.dto.NewConnectorDefinition;
import org.sourcelab.kafka.connect.apiclient.rest.exceptions.InvalidRequestException;
import org.sourcelab.kafka.connect.apiclient.rest.exceptions.ResourceNotFoundException;

/** The life of a connector by the Java client inside AKHQ: java -cp 'lib/*' SourceLab.java URL */
public class SourceLab {
    private static final String NAME = "sourcelab";
    private static final String PLUGIN = "FileStreamSource";
    private static final Map<String, String> CONFIG =
            Map.of("connector.class", PLUGIN, "tasks.max", "1", "file", "in.txt", "topic", "lines");

    private final KafkaConnectClient client;

    private SourceLab(String url) {
        client = new KafkaConnectClient(new Configuration(url));
    }

    public static void main(String[] arguments) throws Exception {
        new SourceLab(arguments[0]).run();
    }

    private void run() throws Exception {
        looksAround();
        creates();
        inspects();
        configures();
        steers();
        deletes();
        System.out.println("done");
    }

    private void looksAround() throws Exception {
        is("version", "4.3.1", client.getConnectServerVersion().getVersion());
        holds("plugins", client.getConnectorPlugins().stream()
                .anyMatch(plugin -> plugin.getClassName().endsWith("." + PLUGIN + "Connector")));
    }

    private void creates() throws Exception {
        var definition = new NewConnectorDefinition(NAME, CONFIG);
        var made = client.addConnector(definition);
        is("name", NAME, made.getName());
        is("type", "source", made.getType());
        refuses("a second one", InvalidRequestException.class, () -> client.addConnector(definition));
        until("RUNNING");
    }

    private void inspects() throws Exception {
        is("list", List.of(NAME), List.copyOf(client.getConnectors()));
        is("list with info", NAME,
                client.getConnectorsWithExpandedInfo().getDefinitionForConnector(NAME).getName());
        is("list with status", "RUNNING", client.getConnectorsWithExpandedStatus()
                .getStatusForConnector(NAME).getConnector().get("state"));
        var all = client.getConnectorsWithAllExpandedMetadata();
        is("list with both", NAME, all.getDefinitionForConnector(NAME).getName());
        is("config", "in.txt", client.getConnectorConfig(NAME).get("file"));
        is("definition", 1, client.getConnector(NAME).getTasks().size());
        is("tasks", 1, client.getConnectorTasks(NAME).size());
        is("task", "RUNNING", client.getConnectorTaskStatus(NAME, 0).getState());
        is("topics", NAME, client.getConnectorTopics(NAME).getName());
        holds("reset of topics", client.resetConnectorTopics(NAME));
        is("no topics", List.of(), client.getConnectorTopics(NAME).getTopics());
    }

    private void configures() throws Exception {
        var changed = new java.util.HashMap<>(CONFIG);
        changed.put("batch.size", "10");
        is("update", "10", client.updateConnectorConfig(NAME, changed).getConfig().get("batch.size"));
        until("RUNNING");
        changed.put("name", "another");
        is("good config", 0, errors(changed));
        is("bad config", 1, errors(Map.of("connector.class", PLUGIN, "name", "another")));
    }

    private void steers() throws Exception {
        holds("pause", client.pauseConnector(NAME));
        until("PAUSED");
        holds("resume", client.resumeConnector(NAME));
        until("RUNNING");
        holds("restart", client.restartConnector(NAME));
        until("RUNNING");
        holds("restart of a task", client.restartConnectorTask(NAME, 0));
        until("RUNNING");
        holds("stop", client.stopConnector(NAME));
        until("STOPPED");
    }

    private void deletes() throws Exception {
        holds("delete", client.deleteConnector(NAME));
        refuses("a deleted one", ResourceNotFoundException.class, () -> client.getConnector(NAME));
        is("empty list", 0, client.getConnectors().size());
    }

    private int errors(Map<String, String> config) {
        var definition = new ConnectorPluginConfigDefinition(PLUGIN, config);
        return client.validateConnectorPluginConfig(definition).getErrorCount();
    }

    private void until(String state) throws Exception {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (!state.equals(client.getConnectorStatus(NAME).getConnector().get("state"))) {
            holds("it becomes " + state, System.nanoTime() < deadline);
            Thread.sleep(50);
        }
    }

    private static void is(String what, Object wanted, Object found) {
        holds(what + ": " + wanted + " was expected, not " + found, Objects.equals(wanted, found));
    }

    private static void holds(String what, boolean is) {
        if (!is) {
            throw new AssertionError(what);
        }
    }

    private static void refuses(String what, Class<?> error, Callable<?> call) throws Exception {
        try {
            call.call();
        } catch (Exception found) {
            holds(what + ": " + found, error.isInstance(found));
            return;
        }
        throw new AssertionError(what + " was accepted");
    }
}
