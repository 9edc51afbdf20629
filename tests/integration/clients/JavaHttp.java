import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;

/**
 * The life of a connector by Java's own HTTP client, which offers HTTP/2 with each request, as Spring
 * and Strimzi use it: java JavaHttp.java URL
 */
public class JavaHttp {
    private static final String CONFIG =
            "{\"connector.class\":\"FileStreamSource\",\"file\":\"in.txt\",\"topic\":\"lines\"}";

    private final HttpClient client = HttpClient.newHttpClient();
    private final String url;

    private JavaHttp(String url) {
        this.url = url + "/connectors";
    }

    public static void main(String[] arguments) throws Exception {
        new JavaHttp(arguments[0]).run();
    }

    private void run() throws Exception {
        is(201, send("PUT", "/java-put/config", CONFIG));
        is(200, send("PUT", "/java-put/config", CONFIG.replace("in.txt", "other.txt")));
        is(201, send("POST", "", "{\"name\":\"java-post\",\"config\":" + CONFIG + "}"));
        is(200, send("PATCH", "/java-put/config", "{\"tasks.max\":\"1\"}"));
        HttpResponse<String> config = send("GET", "/java-put/config", "");
        is(200, config);
        for (Map.Entry<String, String> key : Map.of("file", "other.txt", "tasks.max", "1").entrySet()) {
            String expected = "\"" + key.getKey() + "\":\"" + key.getValue() + "\"";
            if (!config.body().replace(" ", "").contains(expected)) {
                throw new AssertionError(expected + " is not in " + config.body());
            }
        }
        is(204, send("DELETE", "/java-put", ""));
        is(204, send("DELETE", "/java-post", ""));
        System.out.println("done");
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        var publisher = body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path));
        request.method(method, publisher).header("Content-Type", "application/json");
        return client.send(request.build(), BodyHandlers.ofString());
    }

    private static void is(int status, HttpResponse<String> answer) {
        if (answer.statusCode() != status) {
            throw new AssertionError(answer + " instead of " + status + ": " + answer.body());
        }
    }
}
