package formicary.jade;

import jade.lang.acl.ACLMessage;

/** Fetches what is asked for. */
public final class Fetcher extends Answering {
    private static final String DATA = "a line of text that somebody has asked for";

    @Override
    protected void take(ACLMessage message) {
        answer(message, DATA);
    }
}
