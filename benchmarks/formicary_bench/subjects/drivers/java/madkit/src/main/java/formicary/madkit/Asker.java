package formicary.madkit;

import formicary.lab.Times;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import madkit.kernel.AbstractAgent.ReturnCode;
import madkit.kernel.Agent;
import madkit.kernel.AgentAddress;
import madkit.message.StringMessage;

/** In each round, sends a message, waits for the answer, and again; a new message each time. */
final class Asker extends Agent {
    /** Given once for each round that is to begin. */
    final Semaphore rounds = new Semaphore(0);

    private final String role;
    private final String partnersRole;
    private final String body;
    private final Times times;
    private final Runnable finished;
    private final CountDownLatch starting;

    Asker(String role, String partnersRole, String body, Times times, Runnable finished, CountDownLatch starting) {
        this.role = role;
        this.partnersRole = partnersRole;
        this.body = body;
        this.times = times;
        this.finished = finished;
        this.starting = starting;
    }

    @Override
    protected void activate() {
        requestRole(Driver.COMMUNITY, Driver.GROUP, role);
        starting.countDown();
    }

    @Override
    protected void live() {
        while (isAlive()) {
            rounds.acquireUninterruptibly();
            AgentAddress partner = getAgentWithRole(Driver.COMMUNITY, Driver.GROUP, partnersRole);
            boolean more = true;
            while (more) {
                times.begin();
                if (sendMessage(partner, new StringMessage(body)) != ReturnCode.SUCCESS) {
                    throw new IllegalStateException("MaDKit cannot send to " + partnersRole);
                }
                waitNextMessage();
                more = times.end();
            }
            finished.run();
        }
    }
}
