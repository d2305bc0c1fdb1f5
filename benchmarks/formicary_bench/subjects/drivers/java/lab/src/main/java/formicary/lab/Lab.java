package formicary.lab;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** The conversation with the laboratory: JSON lines on standard input and output, see docs/drivers.md. */
public final class Lab {
    /** The exchanges of messages that the laboratory asks for. */
    public static final List<String> MESSAGES =
            List.of("messaging/pairs", "messaging/many-to-one", "messaging/size");

    /** These, and the grid of Frantz 2010. */
    public static final List<String> MESSAGES_AND_GRID =
            Stream.concat(MESSAGES.stream(), Stream.of(Grid.EXPERIMENT)).toList();

    /** Messages, and those of Pérez-Carro 2013. */
    public static final List<String> MESSAGES_AND_TRAFFIC = Stream.concat(
            MESSAGES.stream(), Stream.of("traffic/ring", "traffic/massive-reception")).toList();

    /** Those of Alberola 2010 with the directory. */
    public static final List<String> DIRECTORY =
            List.of("directory/register", "directory/deregister", "directory/search");

    /** That of Alberola 2010 with agents that wait. */
    public static final String MEMORY = "memory";

    /** The names of the threads of the virtual machine itself: of its collectors, compilers and so on. */
    private static final List<String> JVM_THREADS = List.of(
            "GC Thread#*", "G1 *", "VM *", "C1 CompilerThread*", "C2 CompilerThread*", "Sweeper thread", "Reference Handler",
            "Finalizer", "Common-Cleaner", "Signal Dispatcher", "Service Thread", "Monitor Deflation Thread",
            "Notification Thread");

    private static final Gson GSON = new Gson();
    private static final int PROTOCOL = 1;
    private static final long MILLISECONDS_BETWEEN_REPORTS = 250;
    private static final double MOST_COMPILING = 0.05; // of the time of a round

    private final PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
    private final Platform platform;
    private List<Times> times = List.of();
    private volatile CountDownLatch missing = new CountDownLatch(0);
    private Job job;

    private Lab(Platform platform) {
        this.platform = platform;
    }

    /** Be a driver of a platform whose agents exchange messages; see below. */
    public static void serve(String name, String version, List<String> placements, Platform platform) {
        serve(name, version, MESSAGES, placements, platform);
    }

    /** Be a driver, until the laboratory says that it is over; does not return. */
    public static void serve(
            String name, String version, List<String> experiments, List<String> placements, Platform platform) {
        Lab lab = new Lab(platform);
        System.setOut(System.err); // standard output is the laboratory's; platforms like to print
        try {
            lab.greet(name, version, experiments, placements);
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

    private void greet(String name, String version, List<String> experiments, List<String> placements) {
        JsonObject hello = message("hello");
        hello.addProperty("protocol", PROTOCOL);
        hello.addProperty("name", name);
        hello.addProperty("version", version);
        hello.addProperty("runtime", "Java " + System.getProperty("java.version"));
        hello.addProperty("again", true);
        hello.addProperty("trips", platform.trips());
        hello.add("experiments", GSON.toJsonTree(experiments));
        hello.add("placements", GSON.toJsonTree(placements));
        if (!platform.threads().isEmpty()) {
            Map<String, List<String>> threads = new TreeMap<>(platform.threads());
            threads.put("runtime", JVM_THREADS);
            hello.add("threads", GSON.toJsonTree(threads));
        }
        say(hello);
    }

    private void listen() throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            JsonObject order = GSON.fromJson(line, JsonObject.class);
            switch (order.get("type").getAsString()) {
                case "prepare" -> prepare(GSON.fromJson(order, Job.class));
                case "go" -> measure(GSON.fromJson(order, Go.class));
                case "stop" -> {
                    return;
                }
                default -> throw new IllegalArgumentException("the laboratory said what is not known: " + line);
            }
        }
    }

    private void prepare(Job asked) throws Exception {
        job = asked;
        job.progress = this::sayProgress;
        times = new ArrayList<>();
        for (int number = 0; job.asks() && number < (job.loops() ? 1 : job.pairs); number++) {
            times.add(new Times());
        }
        String endpoint = platform.prepare(job, times, () -> missing.countDown());
        JsonObject ready = message("ready");
        ready.addProperty("endpoint", endpoint);
        say(ready);
    }

    private void measure(Go order) throws Exception {
        if (job.experiment.equals(MEMORY)) {
            weigh();
            return;
        }
        long began = System.nanoTime();
        long compiledBefore = compiledMilliseconds();
        if (job.loops()) {
            makeLoops(order.laps);
        } else {
            makeTrips(order.trips == 0 ? job.trips() : order.trips);
        }
        long compiled = TimeUnit.MILLISECONDS.toNanos(compiledMilliseconds() - compiledBefore);
        boolean warm = compiled <= MOST_COMPILING * (System.nanoTime() - began);
        Times.write(times, job.times);
        JsonObject done = message("done");
        done.addProperty("warm", warm);
        if (!platform.tallies().isEmpty()) {
            done.add("tallies", GSON.toJsonTree(platform.tallies()));
        }
        say(done);
    }

    /** Collect the garbage, and say what objects are left. */
    private void weigh() {
        System.gc();
        JsonObject done = message("done");
        done.addProperty("held_bytes", ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        say(done);
    }

    private void makeTrips(int trips) throws Exception {
        times.forEach(one -> one.reset(trips));
        missing = new CountDownLatch(times.size());
        platform.go();
        while (!missing.await(MILLISECONDS_BETWEEN_REPORTS, TimeUnit.MILLISECONDS)) {
            sayProgress(times.stream().mapToLong(Times::done).sum());
        }
    }

    private void makeLoops(int[] laps) throws Exception {
        Times took = times.get(0);
        took.reset(laps.length);
        LongAdder done = new LongAdder();
        FutureTask<Void> making = new FutureTask<>(() -> {
            for (int size : laps) {
                long began = System.nanoTime();
                took.add(began, platform.loop(size, done::add));
            }
            return null;
        });
        new Thread(making, "loops").start();
        while (true) {
            try {
                making.get(MILLISECONDS_BETWEEN_REPORTS, TimeUnit.MILLISECONDS);
                return;
            } catch (TimeoutException early) {
                sayProgress(done.sum());
            }
        }
    }

    private void sayProgress(long done) {
        JsonObject progress = message("progress");
        progress.addProperty("done", done);
        say(progress);
    }

    /** How long the compiler of this virtual machine has worked; it counts what it has finished. */
    private static long compiledMilliseconds() {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        return compiler != null && compiler.isCompilationTimeMonitoringSupported() ? compiler.getTotalCompilationTime() : 0;
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
