package formicary.madkit;

import formicary.lab.Job;
import formicary.lab.Lab;
import formicary.lab.Platform;
import formicary.lab.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import madkit.action.KernelAction;
import madkit.kernel.Agent;
import madkit.kernel.Madkit;

/**
 * Drives MaDKit 5: agents with a thread each, in one kernel, who find each other by roles of one group. Between
 * kernels MaDKit finds others by broadcasts in the network, so there is one process only.
 */
public final class Driver implements Platform {
    static final String COMMUNITY = "laboratory";
    static final String GROUP = "pairs";
    private static final long SECONDS_TO_START = 60;
    private final List<Asker> askers = new ArrayList<>();

    public static void main(String[] arguments) {
        Lab.serve("madkit", Madkit.VERSION, List.of("same-container"), new Driver());
    }

    @Override
    public String prepare(Job job, List<Times> times, Runnable finished) throws Exception {
        CountDownLatch made = new CountDownLatch(1);
        CountDownLatch starting = new CountDownLatch(job.receivers + times.size());
        Madkit madkit = new Madkit(
                "--desktop", "false", "--madkitLogLevel", "OFF", "--agentLogLevel", "OFF", "--kernelLogLevel", "OFF");
        launch(madkit, new Founder(made));
        await(made);
        for (int number = 0; number < job.receivers; number++) {
            launch(madkit, new Echo("echo-" + number, starting));
        }
        for (int number = 0; number < times.size(); number++) {
            String partner = "echo-" + job.receiverOf(number);
            Asker asker = new Asker("asker-" + number, partner, job.body(), times.get(number), finished, starting);
            launch(madkit, asker);
            askers.add(asker);
        }
        await(starting);
        return "";
    }

    @Override
    public void go() {
        askers.forEach(asker -> asker.rounds.release());
    }

    /** Makes the group, and stays, so that the kernel does. */
    private static final class Founder extends Agent {
        private final CountDownLatch made;

        Founder(CountDownLatch made) {
            this.made = made;
        }

        @Override
        protected void activate() {
            createGroup(COMMUNITY, GROUP);
            made.countDown();
        }

        @Override
        protected void live() {
            waitNextMessage();
        }
    }

    private static void launch(Madkit madkit, Agent agent) {
        madkit.doAction(KernelAction.LAUNCH_AGENT, agent, false);
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        if (!latch.await(SECONDS_TO_START, TimeUnit.SECONDS)) {
            throw new IllegalStateException("MaDKit has not started all agents within " + SECONDS_TO_START + " s");
        }
    }
}
