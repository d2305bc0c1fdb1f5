package formicary.jade;

import jade.core.behaviours.SimpleBehaviour;

/**
 * A behaviour that is woken by whatever comes as it goes to sleep; without end, if it does not say otherwise.
 *
 * JADE's own note both in one object, without a lock: where a message comes just as its agent blocks, that may be
 * lost, and nobody ever looks at the message.
 */
abstract class Wakeful extends SimpleBehaviour {
    @Override
    public final synchronized void block() {
        super.block();
    }

    @Override
    public final synchronized void restart() {
        super.restart();
    }

    @Override
    public boolean done() {
        return false;
    }
}
