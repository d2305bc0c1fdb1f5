package formicary.jason;

import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Platform;
import formicary.lab.Times;
import jason.asSemantics.Message;
import jason.asSyntax.ASSyntax;
import jason.infra.local.RunLocalMAS;
import jason.mas2j.AgentParameters;
import jason.mas2j.MAS2JProject;
import jason.util.Config;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Drives Jason: agents written in AgentSpeak, in its own infrastructure, which is one process. Each agent has a
 * thread; or, with the argument `pool`, all take turns in a pool of as many threads as there are processors.
 */
public final class Driver implements Platform {
    private System agents;
    private final boolean hasPool;
    private int askers;

    private Driver(boolean hasPool) {
        this.hasPool = hasPool;
    }

    /** Jason without the windows that it opens by itself. */
    private static final class System extends RunLocalMAS {
        System(MAS2JProject agents) {
            project = agents;
            runner = this;
        }
    }

    public static void main(String[] arguments) {
        boolean hasPool = List.of(arguments).equals(List.of("pool"));
        Lab.serve(hasPool ? "jason-pool" : "jason", version(), List.of("same-container"), new Driver(hasPool));
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) throws Exception {
        // By itself Jason shows agents' minds to everybody who can reach the machine.
        Config.get(false).setProperty(Config.START_WEB_MI, "false");
        askers = times.size();
        MAS2JProject project = new MAS2JProject();
        project.setupDefault();
        project.setSocName("laboratory");
        if (hasPool) { // as `infrastructure: Local(pool,2)` in a project's file
            project.getInfrastructure().addParameter("pool");
            project.getInfrastructure().addParameter(Integer.toString(Runtime.getRuntime().availableProcessors()));
        }
        Path echo = source("echo.asl");
        Path asker = source("asker.asl");
        for (int number = 0; number < job.receivers; number++) {
            project.addAgent(agent("echo" + number, echo));
        }
        for (int number = 0; number < askers; number++) {
            String partner = "echo" + job.receiverOf(number);
            Asker.ALL.put("asker" + number, new Asker(
                    ASSyntax.createAtom(partner), ASSyntax.createString(job.body()), times.get(number), finished));
            project.addAgent(agent("asker" + number, asker));
        }
        agents = new System(project);
        agents.create();
        agents.start();
        if (agents.getNbAgents() != job.receivers + askers) {
            throw new IllegalStateException("Jason has made only " + agents.getNbAgents() + " agents");
        }
        return "";
    }

    @Override
    public void go() {
        for (int number = 0; number < askers; number++) {
            String name = "asker" + number;
            agents.getAg(name).receiveMsg(new Message("achieve", "laboratory", name, ASSyntax.createAtom("ask")));
        }
    }

    private static AgentParameters agent(String name, Path source) {
        AgentParameters agent = new AgentParameters();
        agent.setupDefault();
        agent.name = name;
        agent.setSource(source.toUri());
        return agent;
    }

    /** Jason reads agents from files; the driver's folder is its own. */
    private static Path source(String name) throws IOException {
        Path path = Path.of(name).toAbsolutePath();
        try (InputStream source = Driver.class.getResourceAsStream("/" + name)) {
            Files.copy(source, path);
        }
        return path;
    }

    private static String version() {
        String version = RunLocalMAS.class.getPackage().getSpecificationVersion();
        return version == null ? "unknown" : version;
    }
}
