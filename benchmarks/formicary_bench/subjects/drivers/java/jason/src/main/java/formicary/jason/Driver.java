package formicary.jason;

import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Platform;
import formicary.lab.Times;
import jason.asSemantics.Message;
import jason.asSyntax.ASSyntax;
import jason.asSyntax.Term;
import jason.control.ExecutionControl;
import jason.infra.local.RunLocalMAS;
import jason.mas2j.AgentParameters;
import jason.mas2j.ClassParameters;
import jason.mas2j.MAS2JProject;
import jason.util.Config;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Drives Jason: agents written in AgentSpeak, in its own infrastructure, which is one process. Each agent has a
 * thread; or, with the argument `pool`, all take turns in a pool of as many threads as there are processors, or as are
 * asked for; or, with `synchronous`, all make one reasoning cycle before any makes the next.
 */
public final class Driver implements Platform {
    private static final String MEDIATED = "service/mediated";
    private static final List<String> SERVICE = List.of("fetcher", "printer", "coordinator", "client");

    private System agents;
    private final String mode;
    private int askers;

    private Driver(String mode) {
        this.mode = mode;
    }

    /** Jason without the windows that it opens by itself. */
    private static final class System extends RunLocalMAS {
        System(MAS2JProject agents) {
            project = agents;
            runner = this;
        }
    }

    public static void main(String[] arguments) {
        String mode = arguments.length == 0 ? "" : arguments[0];
        String name = mode.isEmpty() ? "jason" : "jason-" + mode;
        List<String> experiments = new ArrayList<>(Lab.MESSAGES_AND_TRAFFIC);
        experiments.add(MEDIATED);
        if (mode.equals("pool")) {
            experiments.add("traffic/pool-size");
        }
        Lab.serve(name, version(), experiments, List.of("same-container"), new Driver(mode));
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) throws Exception {
        // By itself Jason shows agents' minds to everybody who can reach the machine.
        Config.get(false).setProperty(Config.START_WEB_MI, "false");
        askers = times.size();
        MAS2JProject project = new MAS2JProject();
        project.setupDefault();
        project.setSocName("laboratory");
        if (mode.equals("synchronous")) { // as `executionControl: jason.control.ExecutionControl`
            project.setControlClass(new ClassParameters(ExecutionControl.class.getName()));
        }
        if (mode.equals("pool")) { // as `infrastructure: Local(pool,2)` in a project's file
            project.getInfrastructure().addParameter("pool");
            int threads = job.threads > 0 ? job.threads : Runtime.getRuntime().availableProcessors();
            project.getInfrastructure().addParameter(Integer.toString(threads));
        }
        if (job.experiment.equals(MEDIATED)) {
            for (String agent : SERVICE) {
                project.addAgent(agent(agent, file(agent + ".asl", source(agent + ".asl"))));
            }
        } else {
            addAgents(project, job, times, finished);
        }
        agents = new System(project);
        agents.create();
        agents.start();
        if (agents.getNbAgents() != project.getAgents().size()) {
            throw new IllegalStateException("Jason has made only " + agents.getNbAgents() + " agents");
        }
        return "";
    }

    /** Add the agents that answer, and those that ask. */
    private static void addAgents(MAS2JProject project, Job job, List<Times> times, Runnable finished) throws Exception {
        String asker = source("asker.asl");
        String echo = source("echo.asl");
        int echoes = job.isRing() ? 0 : job.receivers;
        for (int number = 0; number < echoes; number++) {
            project.addAgent(agent("echo" + number, file("echo.asl", echo)));
        }
        Path source = job.isRing() ? file("both.asl", asker + echo) : file("asker.asl", asker);
        for (int number = 0; number < times.size(); number++) {
            Asker.ALL.put("asker" + number, new Asker(
                    partners(job, number), ASSyntax.createString(job.body()), times.get(number), finished));
            project.addAgent(agent("asker" + number, source));
        }
    }

    @Override
    public void go() {
        for (int number = 0; number < askers; number++) {
            begin("asker" + number, "ask");
        }
    }

    @Override
    public long loop(int size, IntConsumer step) throws Exception {
        Rounds rounds = new Rounds(size, step);
        Rounds.now = rounds;
        long began = java.lang.System.nanoTime();
        begin("client", "round");
        return rounds.await() - began;
    }

    private void begin(String agent, String goal) {
        agents.getAg(agent).receiveMsg(new Message("achieve", "laboratory", agent, ASSyntax.createAtom(goal)));
    }

    private static AgentParameters agent(String name, Path source) {
        AgentParameters agent = new AgentParameters();
        agent.setupDefault();
        agent.name = name;
        agent.setSource(source.toUri());
        return agent;
    }

    /** The agents that answer one that asks, in turn. */
    private static List<Term> partners(Job job, int asker) {
        if (!job.isRing()) {
            return List.of(ASSyntax.createAtom("echo" + job.receiverOf(asker)));
        }
        List<Term> partners = new ArrayList<>();
        for (int trip = 0; trip < job.pairs - 1; trip++) {
            partners.add(ASSyntax.createAtom("asker" + job.partnerOf(asker, trip)));
        }
        return partners;
    }

    private static String source(String name) throws IOException {
        try (InputStream source = Driver.class.getResourceAsStream("/" + name)) {
            return new String(source.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Jason reads agents from files; the driver's folder is its own. */
    private static Path file(String name, String source) throws IOException {
        return Files.writeString(Path.of(name).toAbsolutePath(), source);
    }

    private static String version() {
        String version = RunLocalMAS.class.getPackage().getSpecificationVersion();
        return version == null ? "unknown" : version;
    }
}
