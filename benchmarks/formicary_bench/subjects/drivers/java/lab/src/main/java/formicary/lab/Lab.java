package formicary.lab;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The conversation with the laboratory: JSON lines on standard input and output, see docs/drivers.md. */
public final class Lab {
    private static final Gson GSON = new Gson();
    private static final int PROTOCOL = 1;
    private static final long MILLISECONDS_BETWEEN_REPORTS = 250;

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Platform platform;
    private List<Times> times = List.of();
    private CountDownLatch missing = new CountDownLatch(0);
    private Job job;

    private Lab(Platform platform) {
        this.platform = platform;
    }

    /** Be a driver, until the laboratory says that it is over; does not return. */
    public static void serve(String name, String version, List<String> placements, Platform platform) {
        Lab lab = new Lab(platform);
        System.setOut(System.err); // standard output is the laboratory's; platforms like to print
        try {
            lab.greet(name, version, placements);
            lab.listen();
        } catch (Throwable error) {
            error.printStackTrace();
            JsonObject failed = message("failed");
            failed.addProperty("reason", error.toString());
            lab.say(failed);
            Runtime.getRuntime().halt(1);
        }
        // Not exit: threads of the platform may wait for each other for ever when it is shut down in order.
        Runtime.getRuntime().halt(0);
    }

    private void greet(String name, String version, List<String> placements) {
        JsonObject hello = message("hello");
        hello.addProperty("protocol", PROTOCOL);
        hello.addProperty("name", name);
        hello.addProperty("version", version);
        hello.addProperty("runtime", "Java " + System.getProperty("java.version"));
        hello.add("experiments", GSON.toJsonTree(
                List.of("messaging/pairs", "messaging/many-to-one", "messaging/size")));
        hello.add("placements", GSON.toJsonTree(placements));
        say(hello);
    }

    private void listen() throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonObject order = GSON.fromJson(line, JsonObject.class);
            switch (order.get("type").getAsString()) {
                case "prepare" -> prepare(GSON.fromJson(order, Job.class));
                case "go" -> measure();
                case "stop" -> {
                    return;
                }
                default -> throw new IllegalArgumentException("the laboratory said what is not known: " + line);
            }
        }
    }

    private void prepare(Job asked) throws Exception {
        job = asked;
        times = new ArrayList<>();
        for (int number = 0; job.asks() && number < job.pairs; number++) {
            times.add(new Times(job.trips()));
        }
        missing = new CountDownLatch(times.size());
        String endpoint = platform.prepare(job, times, missing::countDown);
        JsonObject ready = message("ready");
        ready.addProperty("endpoint", endpoint);
        say(ready);
    }

    private void measure() throws Exception {
        platform.go();
        while (!missing.await(MILLISECONDS_BETWEEN_REPORTS, TimeUnit.MILLISECONDS)) {
            JsonObject progress = message("progress");
            progress.addProperty("done", times.stream().mapToLong(Times::done).sum());
            say(progress);
        }
        Times.write(times, job.times);
        say(message("done"));
    }

    private static JsonObject message(String type) {
        JsonObject message = new JsonObject();
        message.addProperty("type", type);
        return message;
    }

    private void say(JsonObject message) {
        out.println(message);
    }
}
