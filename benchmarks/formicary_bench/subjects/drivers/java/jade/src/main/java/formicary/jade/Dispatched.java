package formicary.jade;

import jade.core.AID;
import jade.core.ContainerID;
import jade.lang.acl.ACLMessage;

/**
 * Moves to the container that a request names, and tells of it there.
 *
 * Its arguments: who is told, and what it carries. It tells of its beginning, too.
 */
public final class Dispatched extends Guest {
    private AID conductor;
    private String carried;

    @Override
    protected void setup() {
        Object[] given = getArguments();
        conductor = (AID) given[0];
        carried = (String) given[1];
        super.setup();
        tell(conductor);
    }

    @Override
    protected void asked(ACLMessage message) {
        doMove(new ContainerID(message.getContent(), null));
    }

    @Override
    protected void afterMove() {
        tell(conductor);
    }
}
