package formicary.madkit;

import java.util.concurrent.CountDownLatch;
import madkit.kernel.Agent;
import madkit.message.StringMessage;

/** Answers every message with its content. */
final class Echo extends Agent {
    private final String role;
    private final CountDownLatch starting;

    Echo(String role, CountDownLatch starting) {
        this.role = role;
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
            StringMessage message = (StringMessage) waitNextMessage();
            sendReply(message, new StringMessage(message.getContent()));
        }
    }
}
