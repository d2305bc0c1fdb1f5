package formicary.jade;

import jade.core.AID;
import jade.core.Agent;
import jade.core.ContainerID;
import jade.lang.acl.ACLMessage;

/**
 * Makes as many hops as a request says, and tells of the last one.
 *
 * Its arguments: the containers that it visits, in their order, of which the last one is where it is; and what it
 * carries.
 */
public final class Traveller extends Agent {
    private String[] places;
    private String carried;
    private AID conductor;
    private int at;
    private int left;

    @Override
    protected void setup() {
        Object[] given = getArguments();
        places = (String[]) given[0];
        carried = (String) given[1];
        addBehaviour(new Travelling());
    }

    @Override
    protected void afterMove() {
        if (places[(at + places.length - 1) % places.length].startsWith(Driver.ASKING)) {
            Roam.arrived();
        }
    }

    private final class Travelling extends Wakeful {
        @Override
        public void action() {
            if (left > 0) {
                left--;
                doMove(new ContainerID(places[at], null));
                at = (at + 1) % places.length;
                return;
            }
            if (conductor != null) {
                ACLMessage message = new ACLMessage(ACLMessage.INFORM);
                message.addReceiver(conductor);
                send(message);
                conductor = null;
            }
            ACLMessage order = receive();
            if (order == null) {
                block();
            } else {
                conductor = order.getSender();
                left = Integer.parseInt(order.getContent());
            }
        }
    }
}
