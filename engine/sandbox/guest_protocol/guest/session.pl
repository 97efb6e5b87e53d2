# The first process of a sandbox that stays. It has started the interpreter, which keeps its state, and does one thing
# after the other in the sandbox: code is given to the interpreter, files are read and written here.
#
# In:   "act seconds files room task-limit bytes nonce\n", the files, then the code or the path.
# Out:  "\0ready KERNEL\n" once; for each order what the program writes, untouched; then "\0NONCE " and the last word;
#       while it runs, among what it writes, "\0NONCE+bytes more\n" and a piece of what it shows as JSON.
# Between orders every other process stands still, except from the order "wake" to the order "rest": a preview shows
# what they serve. Where packages are mounted the interpreter is started once the first order to run code was read: it
# loads them.

my %sent;
my $awake = 0;

# What is shown goes out at once, behind what the program has written.
sub show {
    drain();
    insert(@_);
}

# Returns the interpreter's status, whether this process had to end it, what was shown, and whether it is gone.
sub await_word {
    my ( $left, $nonce ) = @_;
    my ( $before, $heard, $open ) = ( time, '', 1 );
    while (1) {
        while ( ( my $pid = waitpid -1, $no_hang ) > 0 ) { return ( $?, 0, '', 1 ) if $pid == $child }
        my $passed = time - $before;
        $left -= $passed < 1 ? $passed : 1;
        $before += $passed;
        return ( 9, 1, '', 1 ) if $left <= 0;
        my $ears = watch( $open ? $from_child : () );
        next if !$open || !vec( $ears, fileno $from_child, 1 );
        $open = sysread $from_child, $heard, 65536, length $heard;
        leave(1) if length $heard > 16 * 1024 * 1024;
        $heard =~ s/\A\.//;    # it waits: for the first time, where it was started late
        while ( $heard =~ /\A\+(\d{1,8})\n/ && length $heard >= $+[0] + $1 ) {
            my ( $start, $size ) = ( $+[0], $1 );
            show( $nonce, substr $heard, $start, $size );
            substr( $heard, 0, $start + $size ) = '';
        }
        next if $heard !~ /\A(\d{1,3}) (\d{1,8})\n/ || length $heard < $+[0] + $2;
        return ( $1 << 8, 0, substr( $heard, $+[0], $2 ), 0 );
    }
}

sub run_code {
    my ( $seconds, $code, $nonce ) = @_;
    $code =~ tr/\0//d;
    start_program() if !$child;
    say_bytes( $to_child, length($code) . "\n$code" );
    return await_word( $seconds, $nonce );
}

# --- files, without the interpreter ----------------------------------------------------------------------

sub items {
    my ($folder) = @_;
    opendir my $handle, $folder or return;
    my @names = sort grep { $_ ne '.' && $_ ne '..' } readdir $handle;
    return map { item( "$folder/$_", $_ ) } splice @names, 0, 4096;
}

# Returns frames, or nothing where it failed; then $! says why.
sub do_act {
    my ( $act, $path, $room ) = @_;
    my $name = join '/', parts_of($path);
    my $place = $name eq '' ? $workspace : "$workspace/$name";
    if ( $act eq 'list' )     { return opendir( my $open, $place ) ? join '', '', items($place) : undef }
    if ( $act eq 'metadata' ) { return item( $place, $name ) || undef }
    if ( $act eq 'remove' )   { return unlink($place) || rmdir($place) ? '' : undef }
    if ( $act eq 'read' )     { return contents( $place, $name, $room ) }
    return '';
}

sub replace_files {
    for ( 1 .. $_[0] ) {
        my ( $length, $size ) = split ' ', line();
        my ( $name, $content ) = ( take($length), take($size) );
        unlink join '/', $workspace, parts_of($name);
        return 0 if put_file( $name, $content ) ne '';
    }
    return 1;
}

# --- what comes back -------------------------------------------------------------------------------------

# Files as they were when they were last sent stay; what changed within the last two seconds is sent again.
sub send_changed {
    my ($room) = @_;
    my $left_out = 0;
    for my $found ( files_under( $workspace, 0 ) ) {
        my ( $path, $size ) = @$found;
        my @facts = lstat $path or next;
        my $state = join ' ', @facts[ 1, 7, 9, 10 ];
        next if ( $sent{$path} // '' ) eq $state && $facts[9] < time - 2;
        if ( $size <= $room && send_file( $path, $size ) ) { $room -= $size; $sent{$path} = $state }
        else                                                { $left_out++ }
    }
    return $left_out;
}

sub mark {
    my ( $nonce, $status, $late, $crowded, $packed ) = @_;
    say_bytes( \*STDERR, "\0$nonce\n" );
    say_bytes( \*STDOUT, sprintf "\0%s %d %d %d %d %d\n", $nonce, $status >> 8, $status & 127, $late, $crowded, $packed );
}

sub stand_still {
    kill 'STOP', -1;
    select undef, undef, undef, 0.01;
}

sub execute {
    my ( $seconds, $fits, $room, $most_tasks, $code, $nonce ) = @_;
    kill 'CONT', -1;
    my ( $status, $late, $shown, $gone ) = $fits ? run_code( $seconds, $code, $nonce ) : ( 125 << 8, 0, '', 0 );
    my $crowded = $status && tasks() >= $most_tasks - 2 ? 1 : 0;
    stand_still();
    drain();
    my $packed = $status && ( full($workspace) || full('/tmp') ) ? 1 : 0;
    mark( $nonce, $status, $late, $crowded, $packed );
    say_bytes( \*STDOUT, sprintf( "shown %d\n", length $shown ) . $shown );
    my $left_out = send_changed($room);
    say_bytes( \*STDOUT, "gone\n" ) if $gone;
    say_bytes( \*STDOUT, "left $left_out\n" );
    leave(0) if $gone;
}

sub operate {
    my ( $act, $path, $room, $fits, $nonce ) = @_;
    my $frames = $fits ? do_act( $act, $path, $room ) : undef;
    my $why = defined $frames ? '' : "$!";
    mark( $nonce, defined $frames ? 0 : 1 << 8, 0, 0, 0 );
    say_bytes( \*STDOUT, $frames // sprintf( "fault %d\n", length $why ) . $why );
    say_bytes( \*STDOUT, "left 0\n" );
}

# --- processes that go on between orders -----------------------------------------------------------------

# Reads what a process has written, and drops it: it belongs to no order.
sub drop_piece {
    my ($flow) = @_;
    my $got = $flow->[0] ? sysread $flow->[0], my $bytes, 65536 : 0;
    $flow->[0] = undef if defined $got && !$got;
    return $got;
}

# Waits for the next order while every process goes on; at its end all stand still, and nothing they wrote is left.
sub wait_awake {
    my $ears = '';
    while ( !vec( $ears, fileno STDIN, 1 ) ) {
        $ears = '';
        vec( $ears, fileno $_, 1 ) = 1 for \*STDIN, $wake_read, grep { $_ } map { $_->[0] } @flows;
        if ( select( $ears, undef, undef, undef ) <= 0 ) { $ears = ''; next }
        sysread $wake_read, my $dots, 4096 if vec( $ears, fileno $wake_read, 1 );
        for my $flow (@flows) { drop_piece($flow) if $flow->[0] && vec( $ears, fileno $flow->[0], 1 ) }
    }
    stand_still();
    for my $flow (@flows) { 1 while drop_piece($flow) }
}

# --- one sandbox, many orders ----------------------------------------------------------------------------

binmode $_ for \*STDIN, \*STDOUT, \*STDERR;
watch_signals();
$SIG{INT} = sub { kill 'INT', -$child if $child };
greet();
while (1) {
    wait_awake() if $awake;
    my ( $act, $seconds, $files, $room, $most_tasks, $size, $nonce ) = split ' ', line();
    my $fits = replace_files($files);
    my $text = take($size);
    if    ( $act eq 'run' )                     { execute( $seconds, $fits, $room, $most_tasks, $text, $nonce ) }
    elsif ( $act eq 'wake' || $act eq 'rest' ) { $awake = $act eq 'wake'; say_bytes( \*STDOUT, "\0$nonce\n" ) }
    else                                        { operate( $act, $text, $room, $fits, $nonce ) }
    kill 'CONT', -1 if $awake;
}
