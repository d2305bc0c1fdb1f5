package formicary.jade;

import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Platform;
import formicary.lab.Times;
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
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Drives JADE: the agents that echo are in the main container of a platform, those that ask in the same, or in
 * a container of another process that has joined it. Messages between containers go as JADE sends them by itself.
 */
public final class Driver implements Platform {
    private static final long SECONDS_TO_START = 60;
    private final List<AgentController> askers = new ArrayList<>();

    public static void main(String[] arguments) {
        Lab.serve("jade", Runtime.getVersion(), List.of("same-container", "two-containers"), new Driver());
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) throws Exception {
        boolean isMain = job.echoes();
        int port = isMain ? freePort(job.listen) : Integer.parseInt(job.peer);
        ProfileImpl profile = new ProfileImpl(isMain);
        profile.setParameter(Profile.MAIN_HOST, job.listen);
        profile.setParameter(Profile.MAIN_PORT, Integer.toString(port));
        profile.setParameter(Profile.LOCAL_HOST, job.listen);
        profile.setParameter(Profile.LOCAL_PORT, Integer.toString(isMain ? port : freePort(job.listen)));
        profile.setParameter("nomtp", "true"); // nobody outside of the platform is talked to
        // Without these it listens at all of the machine's addresses, and for multicasts.
        profile.setParameter(JICPServer.ACCEPT_LOCAL_HOST_ONLY, "true");
        profile.setParameter(Profile.DETECT_MAIN, "false");
        // By itself it remembers where 100 agents are reached, and looks all others up for each message.
        int agents = job.receivers + job.pairs;
        profile.setParameter(MessagingService.CACHE_SIZE, Integer.toString(agents + MessagingService.CACHE_SIZE_DEFAULT));
        AgentContainer container = isMain
                ? Runtime.instance().createMainContainer(profile)
                : Runtime.instance().createAgentContainer(profile);
        if (container == null) {
            throw new IllegalStateException("JADE has not made a container; what it has printed says why");
        }
        start(container, job, times, finished);
        return Integer.toString(port);
    }

    @Override
    public void go() throws Exception {
        for (AgentController asker : askers) {
            asker.putO2AObject(Boolean.TRUE, AgentController.ASYNC);
        }
    }

    private void start(AgentContainer container, Job job, List<Times> times, Runnable finished) throws Exception {
        int echoes = job.echoes() ? job.receivers : 0;
        CountDownLatch starting = new CountDownLatch(echoes + times.size());
        for (int number = 0; number < echoes; number++) {
            Object[] given = {starting};
            container.createNewAgent("echo-" + number, Echo.class.getName(), given).start();
        }
        for (int number = 0; number < times.size(); number++) {
            String partner = "echo-" + job.receiverOf(number);
            Object[] given = {starting, partner, job.body(), times.get(number), finished};
            AgentController asker = container.createNewAgent("asker-" + number, Ask.class.getName(), given);
            asker.start();
            askers.add(asker);
        }
        if (!starting.await(SECONDS_TO_START, TimeUnit.SECONDS)) {
            throw new IllegalStateException("JADE has not started all agents within " + SECONDS_TO_START + " s");
        }
    }

    private static int freePort(String address) throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName(address))) {
            return socket.getLocalPort();
        }
    }
}
