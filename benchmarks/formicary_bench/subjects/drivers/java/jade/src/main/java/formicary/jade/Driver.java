package formicary.jade;

import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Platform;
import formicary.lab.Times;
import jade.core.Agent;
import jade.core.Profile;
import jade.core.ProfileImpl;
import jade.core.Runtime;
import jade.core.messaging.MessagingService;
import jade.imtp.leap.JICP.JICPServer;
import jade.wrapper.AgentContainer;
import jade.wrapper.AgentController;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Drives JADE: the agents that echo are in the main container of a platform, those that ask in the same, or in
 * a container of another process that has joined it. Messages between containers go as JADE sends them by itself.
 *
 * Agents that move do so by JADE's own mobility service, from one of these processes to the other. For an agent that
 * roams, each has a second container.
 */
public final class Driver implements Platform {
    private static final long SECONDS_TO_START = 60;
    private static final String MEDIATED = "service/mediated";
    private static final Map<String, Class<? extends Conductor>> CONDUCTORS = Map.of(
            "mobile/create-remote", CreateElsewhere.class,
            "mobile/dispatch", Dispatch.class,
            "mobile/roam", Roam.class,
            MEDIATED, Mediate.class);
    private static final String REQUEST = "protocols/request";
    private static final String CONTRACT_NET = "protocols/contract-net";
    /** Who asks and who answers; elsewhere agents that exchange bare messages do. */
    private static final Map<String, List<Class<? extends Agent>>> CONVERSING = Map.of(
            REQUEST, List.of(Requesting.class, Doing.class),
            CONTRACT_NET, List.of(Calling.class, Bidding.class));
    private static final String MAIN = jade.core.AgentContainer.MAIN_CONTAINER_NAME;
    private static final String SECOND = "-2";
    static final String ASKING = "Asking";
    /** Where agents go, in turn; those that go once, to the first. The last one is where they come from. */
    private static final List<String> PLACES = List.of(MAIN, ASKING + SECOND, MAIN + SECOND, ASKING);

    private final List<AgentController> askers = new ArrayList<>();
    private AgentController conductor;

    public static void main(String[] arguments) {
        List<String> experiments = new ArrayList<>(Lab.MESSAGES_AND_TRAFFIC);
        experiments.addAll(Lab.DIRECTORY);
        experiments.addAll(new TreeSet<>(CONVERSING.keySet()));
        experiments.addAll(new TreeSet<>(CONDUCTORS.keySet()));
        experiments.add(Lab.MEMORY);
        List<String> placements = List.of("same-container", "two-containers", "two-hosts");
        Lab.serve("jade", Runtime.getVersion(), experiments, placements, new Driver());
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) throws Exception {
        boolean isMain = job.echoes();
        String main = isMain ? job.listen + ":" + freePort(job.listen) : job.peer;
        String name = isMain ? MAIN : ASKING;
        AgentContainer container = join(job, main, name, isMain);
        if (job.experiment.equals("mobile/roam")) { // of its four places, two are in each process
            join(job, main, name + SECOND, false);
        }
        if (Lab.DIRECTORY.contains(job.experiment)) {
            useDirectory(container, job, times, finished);
        } else if (job.loops()) {
            startConductor(container, job);
        } else {
            start(container, job, times, finished);
        }
        return main;
    }

    /** Start a container of the platform whose main container has an address, `host:port`. */
    private static AgentContainer join(Job job, String main, String name, boolean isMain) throws Exception {
        String host = main.substring(0, main.lastIndexOf(':'));
        String port = main.substring(host.length() + 1);
        ProfileImpl profile = new ProfileImpl(isMain);
        profile.setParameter(Profile.MAIN_HOST, host);
        profile.setParameter(Profile.MAIN_PORT, port);
        profile.setParameter(Profile.LOCAL_HOST, job.listen);
        profile.setParameter(Profile.LOCAL_PORT, isMain ? port : Integer.toString(freePort(job.listen)));
        profile.setParameter(Profile.CONTAINER_NAME, name);
        profile.setParameter("nomtp", "true"); // nobody outside of the platform is talked to
        // Without these it listens at all of the machine's addresses, and for multicasts.
        profile.setParameter(JICPServer.ACCEPT_LOCAL_HOST_ONLY, "true");
        profile.setParameter(Profile.DETECT_MAIN, "false");
        // By itself it remembers where 100 agents are reached, and looks all others up for each message.
        int agents = job.receivers + job.pairs + (job.experiment.equals(MEDIATED) ? 0 : job.loop);
        profile.setParameter(MessagingService.CACHE_SIZE, Integer.toString(agents + MessagingService.CACHE_SIZE_DEFAULT));
        AgentContainer container = isMain
                ? Runtime.instance().createMainContainer(profile)
                : Runtime.instance().createAgentContainer(profile);
        if (container == null) {
            throw new IllegalStateException("JADE has not made a container; what it has printed says why");
        }
        return container;
    }

    @Override
    public Map<String, List<String>> threads() {
        return Map.of(
                "agents", List.of("asker-*", "echo-*", "user-*", "services-*"),
                "communication", List.of("Deliverer-*", "JICPServer-*", "Thread-*"), // the last serve connections
                "directory", List.of("df"));
    }

    @Override
    public void go() throws Exception {
        for (AgentController asker : askers) {
            asker.putO2AObject(Boolean.TRUE, AgentController.ASYNC);
        }
    }

    @Override
    public long loop(int size, IntConsumer step) throws Exception {
        Conductor.Loop loop = new Conductor.Loop(size, step);
        conductor.putO2AObject(loop, AgentController.ASYNC);
        return loop.took.get();
    }

    private void startConductor(AgentContainer container, Job job) throws Exception {
        if (!job.asks()) {
            return;
        }
        CountDownLatch starting = new CountDownLatch(1);
        Object[] given = {starting, job, PLACES};
        String kind = CONDUCTORS.get(job.experiment).getName();
        conductor = container.createNewAgent("conductor", kind, given);
        conductor.start();
        waitFor(starting);
    }

    /** Register services first, which may take long; then start those that use the directory. */
    private void useDirectory(AgentContainer container, Job job, List<Times> times, Runnable finished) throws Exception {
        CountDownLatch registering = new CountDownLatch(1);
        container.createNewAgent("services-" + job.role, Services.class.getName(), new Object[] {registering, job}).start();
        registering.await(); // for as long as it gets on; the laboratory sees to that
        CountDownLatch starting = new CountDownLatch(times.size());
        for (int number = 0; number < times.size(); number++) {
            Object[] given = {starting, List.of(), "", times.get(number), finished, job};
            AgentController user = container.createNewAgent("user-" + number, UseDirectory.class.getName(), given);
            user.start();
            askers.add(user);
        }
        waitFor(starting);
    }

    private static void waitFor(CountDownLatch starting) throws Exception {
        if (!starting.await(SECONDS_TO_START, TimeUnit.SECONDS)) {
            throw new IllegalStateException("JADE has not started all agents within " + SECONDS_TO_START + " s");
        }
    }

    private void start(AgentContainer container, Job job, List<Times> times, Runnable finished) throws Exception {
        int echoes = job.echoes() && !job.isRing() ? job.receivers : 0;
        CountDownLatch starting = new CountDownLatch(echoes + times.size());
        var kinds = CONVERSING.getOrDefault(job.experiment, List.of(Ask.class, Echo.class));
        for (int number = 0; number < echoes; number++) {
            Object[] given = {starting, price(number, echoes)};
            container.createNewAgent("echo-" + number, kinds.get(1).getName(), given).start();
        }
        for (int number = 0; number < times.size(); number++) {
            Object[] given = {starting, partners(job, number), job.body(), times.get(number), finished};
            AgentController asker = container.createNewAgent("asker-" + number, kinds.get(0).getName(), given);
            asker.start();
            askers.add(asker);
        }
        waitFor(starting);
    }

    /** What a bidder bids: each another price, and not in their order. */
    private static int price(int number, int bidders) {
        return 1 + (number * 7919 + bidders / 2) % bidders;
    }

    /** The names of the agents that answer one that asks, in turn, or all together. */
    private static List<String> partners(Job job, int asker) {
        if (job.experiment.equals(CONTRACT_NET)) {
            return IntStream.range(0, job.receivers).mapToObj(number -> "echo-" + number).toList();
        }
        if (!job.isRing()) {
            return List.of("echo-" + job.receiverOf(asker));
        }
        IntStream trips = IntStream.range(0, job.pairs - 1);
        return trips.mapToObj(trip -> "asker-" + job.partnerOf(asker, trip)).toList();
    }

    private static int freePort(String address) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            return socket.getLocalPort();
        }
    }
}
