package formicary.jason;

import jason.asSemantics.DefaultInternalAction;
import jason.asSemantics.TransitionSystem;
import jason.asSemantics.Unifier;
import jason.asSyntax.Term;

/** `formicary.jason.begin(Partner, Body)`: a round trip begins; says with whom, and what to send. */
public final class begin extends DefaultInternalAction {
    private transient Asker asker; // each agent has internal actions of its own

    @Override
    public Object execute(TransitionSystem system, Unifier unifier, Term[] given) {
        if (asker == null) {
            asker = Asker.ALL.get(system.getAgArch().getAgName());
        }
        asker.times().begin();
        return unifier.unifies(given[0], asker.partner()) && unifier.unifies(given[1], asker.body());
    }
}
