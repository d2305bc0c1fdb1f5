package formicary.jade;

import jade.domain.FIPANames.InteractionProtocol;
import jade.lang.acl.ACLMessage;
import jade.proto.AchieveREInitiator;
import java.util.Vector;

/** Makes requests, one after the other. */
public final class Requesting extends Conversing {
    @Override
    protected void begin() {
        addBehaviour(new Asking());
    }

    private ACLMessage request() {
        return opening(ACLMessage.REQUEST, InteractionProtocol.FIPA_REQUEST);
    }

    private final class Asking extends AchieveREInitiator {
        Asking() {
            super(Requesting.this, request());
        }

        @Override
        @SuppressWarnings("rawtypes")
        protected void handleAllResultNotifications(Vector answers) {
            check(answers, 1, ACLMessage.INFORM);
        }

        @Override
        public int onEnd() {
            int code = super.onEnd();
            if (goesOn()) {
                reset(request());
                addBehaviour(this);
            }
            return code;
        }
    }
}
